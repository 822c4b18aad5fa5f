/** Wrong use of the command, noticed before anything is sent: exit code 2. */
export class WrongUse extends Error {}
