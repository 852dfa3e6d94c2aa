/** The part of jstat that is used; it brings no types of its own. */
declare module 'jstat' {
  const jstat: { readonly beta: { inv(probability: number, alpha: number, beta: number): number } };
  export default jstat;
}
