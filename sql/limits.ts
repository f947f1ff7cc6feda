/** What longer texts hold is data, and belongs into a table. */
export const mostCharacters = 64 * 1024;
