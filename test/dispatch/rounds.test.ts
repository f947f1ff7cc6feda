import { makeRounds } from '../../dispatch/rounds.js';

/** Rounds that end when the test says so. */
const controlled = () => {
  const ends: (() => void)[] = [];
  let begun = 0;
  const rounds = makeRounds(() => {
    begun += 1;
    return new Promise((resolve) => ends.push(resolve));
  });
  return {
    rounds,
    begun: () => begun,
    endOne: async () => {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
};

test('many wakes during a round are one more round', async () => {
  const { rounds, begun, endOne } = controlled();
  for (let n = 0; n < 10; n++) rounds.wake();
  expect(begun()).toBe(1);
  await endOne();
  expect(begun()).toBe(2);
  await endOne();
  expect(begun()).toBe(2);
});

test('a wake after a round begins the next', async () => {
  const { rounds, begun, endOne } = controlled();
  rounds.wake();
  await endOne();
  rounds.wake();
  expect(begun()).toBe(2);
});

test('stopping waits for the round under way and begins no other', async () => {
  const { rounds, begun, endOne } = controlled();
  rounds.wake();
  rounds.wake();
  let stopped = false;
  const stopping = rounds.stop().then(() => (stopped = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  await endOne();
  await stopping;
  rounds.wake();
  expect(begun()).toBe(1);
});
