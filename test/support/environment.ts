/** What a global setup handed over; missing when a test runs in the wrong Jest project. */
export function handedOver(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: this Jest project does not start it`);
  return value;
}
