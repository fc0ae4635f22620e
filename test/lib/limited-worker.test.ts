import { afterEach, expect, test } from 'bun:test'
import { LimitedWorker } from '../../src/lib/limited-worker'

/** Requests that nobody waits for any longer leave the line, and end the worker that is busy with them. */

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Workers with a limit of time that no test reaches: only an abort ends what is endless. */
function open() {
  const started: Worker[] = []
  const worker = new LimitedWorker<string>({
    limitMs: { base: 3_600_000, perMiB: 0 },
    start: () => {
      const one = new Worker(new URL('./endless-worker.ts', import.meta.url), { ref: false })
      started.push(one)
      return one
    },
  })
  closers.push(() => worker.close())
  const ask = (request: string, signal?: AbortSignal, caller = 'one') =>
    worker.run(request, { length: request.length, caller, signal })
  return { ask, started }
}

const GONE = new Error('gone')

test('an abort ends the worker busy with a request, and the next one gets a new worker', async () => {
  const { ask, started } = open()
  expect(await ask('ready')).toBe('ready')
  const leaving = new AbortController()
  const endless = ask('endless', leaving.signal)
  const [ended] = started
  const closed = new Promise((resolve) => ended?.addEventListener('close', resolve))
  const next = ask('next')
  leaving.abort(GONE)
  expect(endless).rejects.toBe(GONE)
  expect(await next).toBe('next')
  await closed
  expect(started).toHaveLength(2)
})

test('an abort takes a waiting request out of the line, and leaves those beside it', async () => {
  const { ask, started } = open()
  const [leaving, busy] = [new AbortController(), new AbortController()]
  const endless = ask('endless', busy.signal)
  const waiting = ask('endless', leaving.signal)
  const neighbors = [ask('before'), ask('after'), ask('other', undefined, 'two')]
  leaving.abort(GONE)
  expect(waiting).rejects.toBe(GONE)
  busy.abort(GONE)
  expect(endless).rejects.toBe(GONE)
  expect(await Promise.all(neighbors)).toEqual(['before', 'after', 'other'])
  expect(started).toHaveLength(2)
})

test('a request that was answered is not hurt by a later abort, nor is one beside it', async () => {
  const { ask, started } = open()
  const leaving = new AbortController()
  const answered = ask('answered', leaving.signal)
  const beside = ask('beside')
  answered.then(() => leaving.abort(GONE))
  expect([await answered, await beside]).toEqual(['answered', 'beside'])
  expect(started).toHaveLength(1)
})

test('a request whose caller has left is refused at once', async () => {
  const { ask, started } = open()
  expect(ask('late', AbortSignal.abort(GONE))).rejects.toBe(GONE)
  expect(started).toHaveLength(0)
})
