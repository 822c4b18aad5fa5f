/** Words for signs in the languages in which people read addresses aloud, as alternatives of a pattern. */
export const POINT_WORDS = 'dot|point|punkt|punto|ponto|punct|punt';
export const DASH_WORDS = 'dash|hyphen|minus';
