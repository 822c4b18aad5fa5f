/** The address of a file that is served with the page. */
declare module '*.mp3' {
  const address: string;
  export default address;
}
