import { MANY_CALLERS, makeKey } from '../support/keys'
import { contradictions } from '../support/recount'
import { MixedWriter } from './mixed-writer'
import { chance, counted, Place, Report, type Row } from './row'

const WRITERS = 6

/** Killed at any instant of a mixed load, and started again, over and over. */
export const kill: Row = async ({ seed, quick }) => {
  const rounds = quick ? 3 : 50
  await using place = new Place()
  const random = chance(seed)
  const keys = [makeKey(1), makeKey(2)]
  const writers = Array.from({ length: WRITERS }, (_, n) => new MixedWriter(keys[n % 2] ?? '', n, seed))
  const lost: string[] = []
  const uncounted: string[] = []
  const halves: string[] = []
  let server = await place.start({ settings: MANY_CALLERS })
  for (const writer of writers) await writer.prepare(server.url)
  for (let round = 1; round <= rounds; round++) {
    const before = await Promise.all(keys.map((key) => counted(server.url, key)))
    const answeredBefore = writers.map(({ answered }) => answered)
    // Another number of answers each round, so that the kill falls on other instants of commits and checkpoints.
    await killAfter(server, writers, 100 + Math.floor(random() * 150))
    halves.push(...(await contradictions(place.folder)))
    server = await place.start({ settings: MANY_CALLERS })
    for (const [i, key] of keys.entries()) {
      const own = writers.filter((writer) => writer.key === key)
      const answered = own.reduce((sum, writer) => sum + writer.answered - (answeredBefore[writer.number] ?? 0), 0)
      const stored = (await counted(server.url, key)) - (before[i] ?? 0)
      // Each of its writers had one request in flight, and of so many the counters may know nothing yet.
      if (stored < answered - own.length || stored > answered + own.length)
        uncounted.push(`round ${round}: ${stored} stored of ${answered} answered`)
    }
    for (const writer of writers) lost.push(...(await writer.losses(server.url, round === rounds)))
  }
  halves.push(...(await contradictions(place.folder)))
  const done = writers.reduce((sum, writer) => sum + writer.done, 0)
  const report = new Report(
    `${rounds} kills under ${WRITERS} writers of notes, tasks, answers, repeats, archives, chat`,
  )
  report.claim(`all ${done} acknowledged writes are there`, lost)
  report.claim('no half change, integrity_check ok', halves)
  report.claim('no answered request is uncounted, but for as many as were in flight', uncounted)
  report.claim(
    'every change was served, every repeat answered alike',
    writers.flatMap(({ faults }) => faults),
  )
  report.claim(`over ${rounds * 50} writes were acknowledged`, done > rounds * 50)
  return report
}

/** Lets the writers write until they have had so many answers, kills the server, and waits until all have noticed. */
async function killAfter(
  server: Awaited<ReturnType<Place['start']>>,
  writers: readonly MixedWriter[],
  answers: number,
): Promise<void> {
  let left = answers
  const enough = Promise.withResolvers<void>()
  const working = writers.map((writer) => writer.run(server.url, () => --left === 0 && enough.resolve()))
  await enough.promise
  await server.stop('SIGKILL')
  await Promise.all(working)
}
