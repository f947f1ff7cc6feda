/** What a process and everything below it uses: CPU time and memory, as Linux tells them. */
import { readFileSync, readdirSync } from 'node:fs';

const ticksPerSecond = 100;
const pageBytes = 4096;
const everyMs = 100;

/** @param {number} pid */
const statOf = (pid) => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything; what follows it is numbers.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return {
      parent: fields[1],
      own: fields[11] + fields[12],
      reaped: fields[13] + fields[14],
      rss: fields[21] * pageBytes,
    };
  } catch {
    return undefined; // it has ended
  }
};

/** @param {number} root */
const tree = (root) => {
  const all = new Map();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat) all.set(Number(name), stat);
  }
  const members = new Set([root]);
  for (let grown = true; grown;) {
    grown = false;
    for (const [pid, { parent }] of all) {
      if (members.has(parent) && !members.has(pid)) {
        members.add(pid);
        grown = true;
      }
    }
  }
  return [...members].flatMap((pid) => all.get(pid) ?? []);
};

/** @param {number} pid */
export const watch = (pid) => {
  const cpuNow = () =>
    tree(pid).reduce((sum, { own, reaped }) => sum + own + reaped, 0) / ticksPerSecond;
  const began = cpuNow();
  let peakBytes = 0;
  const look = () => {
    peakBytes = Math.max(
      peakBytes,
      tree(pid).reduce((sum, { rss }) => sum + rss, 0),
    );
  };
  const timer = setInterval(look, everyMs);
  look();
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return { cpuSeconds: Math.max(0.01, cpuNow() - began), peakBytes };
    },
  };
};
