import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { MANY_CALLERS, makeKey } from '../support/keys'
import type { Server } from '../support/process'
import { contradictions } from '../support/recount'
import { chance, firstDifference, Place, Report, type Row } from './row'
import { contentOf, ended, finish, hasEnded, type Run, reportOf, runsOf, runUntil, type Work, worksOf } from './runs'

/** Runs that are under way at a kill: as many as a server does at the same time. */
const AT_ONCE = 2
/** How likely a run is killed once more after it went on, and how likely its request was sent twice. */
const AGAIN = 0.3
const TWICE = 0.2
/** How many of the kills come while a file arrives, waits or is read, and within how many milliseconds of its request. */
const EARLY = { share: 0.2, ms: 150 }
/** How far a run is at most when the others come. */
const LATEST = 0.97
/** The share of kills that must meet a run. */
const MET = 0.9
const LOST = 'lost' as const
const ARCHIVE = 'workspace'

/** Work of each kind, killed at any instant: each goes on by itself, and comes to the same as one in peace. */
export const imports: Row = async ({ seed, quick }) => {
  const kills = quick ? 2 : 50
  await using place = new Place()
  const trial = new Trial(place, chance(seed))
  await trial.prepare(quick ? 150 : 600)
  for (let round = 0; trial.kills < kills; round++) await trial.round(round, kills)
  await trial.twice(quick ? 1 : trial.works.length)
  const met = Object.entries(trial.met).map(([state, count]) => `${count} ${state}`)
  const report = new Report(
    `${trial.kills} kills beside ${AT_ONCE} of ${trial.works.length} kinds of runs each, ${met.join(', ')}`,
  )
  report.claim('every run went on and came to what one in peace does', trial.unlike)
  report.claim('and reports what one in peace does', trial.misreported)
  report.claim('no half change, integrity_check ok', trial.halves)
  report.claim('two of the same at once come to one', trial.doubled)
  report.claim(`${trial.meeting} of the kills met a run that was open`, trial.meeting >= Math.floor(MET * trial.kills))
  return report
}

/** A work that was sent once or twice by one caller. */
interface Sent {
  readonly what: string
  readonly work: Work
  readonly key: string
  /** What was answered; `lost` where the server was killed before. */
  readonly answers: Promise<readonly (Run | null | typeof LOST)[]>
  /** Ids of what the caller had run before. */
  readonly before: ReadonlySet<string>
}

class Trial {
  kills = 0
  /** How many of the kills met a run that had not ended. */
  meeting = 0
  /** In which states runs were met. */
  readonly met: Record<string, number> = {}
  works: readonly Work[] = []
  readonly unlike: string[] = []
  readonly misreported: string[] = []
  readonly halves: string[] = []
  readonly doubled: string[] = []
  /** What each work comes to in peace. */
  readonly #peace = new Map<Work, { readonly content: string; readonly report: string }>()
  #server!: Server

  constructor(
    private readonly place: Place,
    private readonly random: () => number,
  ) {}

  get #url(): string {
    return this.#server.url
  }

  async prepare(resources: number): Promise<void> {
    await this.#start()
    this.works = await worksOf(this.#url, resources)
    const inPeace = async (work: Work, n: number) => {
      const key = makeKey(10 + n)
      await work.prepare?.(this.#url, key)
      const run = await finish(this.#url, key, work)
      this.#peace.set(work, { content: await contentOf(this.#url, key), report: reportOf(run) })
    }
    await Promise.all(this.works.map(inPeace))
  }

  /** Some works at once, killed once or a few times, but no more often than makes `most` kills in all. */
  async round(round: number, most: number): Promise<void> {
    const { length } = this.works
    const sent = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => this.#send(round, this.works[(round * AT_ONCE + i) % length] as Work)),
    )
    const isEarly = this.random() < EARLY.share
    if (isEarly) await Bun.sleep(this.random() * EARLY.ms)
    else await this.#far(sent)
    await this.#kill()
    while (this.kills < most && this.random() < AGAIN && (await this.#far(sent))) await this.#kill()
    for (const one of sent) await this.#compare(one)
  }

  async #send(round: number, work: Work): Promise<Sent> {
    const [url, key] = [this.#url, makeKey(1000 + round * this.works.length + this.works.indexOf(work))]
    await work.prepare?.(url, key)
    const before = new Set((await runsOf(url, key)).map(({ id }) => id))
    const times = this.random() < TWICE ? 2 : 1
    const answers = Promise.all(Array.from({ length: times }, () => work.begin(url, key).catch(() => LOST)))
    return { what: `${work.name} of round ${round}${times > 1 ? ', sent twice' : ''}`, work, key, answers, before }
  }

  /** Waits until one of the open runs is somewhere in what it has yet to do. False: all have ended. */
  async #far(sent: readonly Sent[]): Promise<boolean> {
    const open = await Promise.all(
      sent.map(async (one) => {
        await one.answers
        return (await this.#runs(one)).filter((run) => !hasEnded(run)).map((run) => ({ run, key: one.key }))
      }),
    )
    const all = open.flat()
    const chosen = all[Math.floor(this.random() * all.length)]
    const part = this.random() * LATEST
    if (!chosen) return false
    const from = chosen.run.total === null ? 0 : chosen.run.done
    await runUntil(this.#url, chosen.key, chosen.run.id, ({ done, total }) => {
      return total !== null && done >= from + part * (total - from)
    })
    return true
  }

  async #runs({ key, before }: Sent): Promise<readonly Run[]> {
    return (await runsOf(this.#url, key)).filter(({ id }) => !before.has(id))
  }

  async #kill(): Promise<void> {
    this.kills++
    await this.#server.stop('SIGKILL')
    const open = openRuns(this.place.folder)
    if (open.length > 0) this.meeting++
    for (const { state } of open) this.met[state] = (this.met[state] ?? 0) + 1
    // The cards of an archive come behind all its facts, in steps of their own.
    const isHalf = (fault: string) => !(fault.startsWith('cards of fact') && open.some(({ kind }) => kind === ARCHIVE))
    this.halves.push(...(await contradictions(this.place.folder)).filter(isHalf))
    await this.#start()
  }

  async #compare(sent: Sent): Promise<void> {
    const { what, work, key } = sent
    const runs = [...(await this.#runs(sent))]
    // Without an answer its sender does not know whether it has arrived, and sends it again.
    const again = (await sent.answers).includes(LOST) ? await work.begin(this.#url, key) : null
    if (again) runs.push(again)
    const ends = await Promise.all(runs.map((run) => ended(this.#url, key, run)))
    for (const { state } of ends) if (state !== 'done') this.unlike.push(`${what} ended as ${state}`)
    const peace = this.#peace.get(work)
    if ((await contentOf(this.#url, key)) !== peace?.content) this.unlike.push(what)
    const [only, other] = ends.map(reportOf)
    // Of two, each did a part.
    if (peace && only && other === undefined && only !== peace.report)
      this.misreported.push(`${what}: ${firstDifference(only, peace.report)}`)
  }

  /** So many of the works, each by two at once, and no kill; then the server is stopped. */
  async twice(most: number): Promise<void> {
    const twice = async (work: Work, n: number) => {
      const [url, key] = [this.#url, makeKey(500 + n)]
      await work.prepare?.(url, key)
      const both = await Promise.all([work.begin(url, key), work.begin(url, key)])
      const ends = await Promise.all(both.filter((run) => run !== null).map((run) => ended(url, key, run)))
      for (const { state } of ends) if (state !== 'done') this.doubled.push(`${work.name} ended as ${state}`)
      if ((await contentOf(url, key)) !== this.#peace.get(work)?.content) this.doubled.push(work.name)
    }
    await Promise.all(this.works.slice(0, most).map(twice))
    await this.#server.stop('SIGTERM')
    this.halves.push(...(await contradictions(this.place.folder)))
  }

  async #start(): Promise<void> {
    this.#server = await this.place.start({ settings: MANY_CALLERS })
  }
}

/** The runs that have not ended, in the data of a server that was killed. */
function openRuns(folder: string): { state: string; kind: string }[] {
  const db = new Database(join(folder, 'satchel.db'), { readonly: true })
  try {
    const runs = db.query<{ state: string; kind: string }, []>('SELECT state, kind FROM import_runs ORDER BY id').all()
    return runs.filter((run) => !hasEnded(run))
  } finally {
    db.close()
  }
}
