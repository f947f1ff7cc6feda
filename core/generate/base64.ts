const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Well-formed base64 as hex digits; by hand, since core is free of Node's Buffer. */
export const base64ToHex = (text: string): string => {
  let hex = '';
  for (let at = 0; at < text.length; at += 4) {
    const quad = text.slice(at, at + 4);
    const bits = Array.from(quad).reduce(
      (sum, sign) => sum * 64 + Math.max(0, alphabet.indexOf(sign)),
      0,
    );
    const bytes = 3 - (quad.match(/=/g)?.length ?? 0);
    hex += bits
      .toString(16)
      .padStart(6, '0')
      .slice(0, bytes * 2);
  }
  return hex;
};
