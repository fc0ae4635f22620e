/**
 * Asks from so many addresses (its second argument), then from a thousandth of them again; prints the peak of memory and
 * how many were reset.
 */
import { makeWorld } from '../gate/world'

const ADDRESSES = Number(process.argv[3])
const world = makeWorld({ folder: process.argv[2] ?? '', meter: { cacheEntries: 100_000 } })
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const address = (i: number): string => `${20 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}.1`

let peak = 0
for (let i = 0; i < ADDRESSES; i++) {
  await world.call('/api/ok', { from: address(i) })
  if (i % 64 === 0) await turn()
  if (i % 10_000 === 0) peak = Math.max(peak, process.memoryUsage.rss())
}
let reset = 0
for (let i = 0; i < ADDRESSES; i += 1000) {
  const answer = await world.call('/api/ok', { from: address(i) })
  if (answer.headers.get('X-RateLimit-Remaining') !== '18') reset++
}
process.stdout.write(JSON.stringify({ peakMiB: Math.round(peak / 2 ** 20), reset }))
await world.close()
