import { join } from 'node:path'
import { type Figure, formatTable, toShareFigure } from './figures'
import { type Reader, readChrono, readQuick } from './time/readers'
import { judge, type Reading, type Utterance, type Verdict } from './time/score'

/** The utterances of a part. `now` and `time_zone` hold for every one without its own. */
export interface TimeData {
  /** An instant, RFC 3339. */
  readonly now: string
  readonly time_zone: string
  readonly utterances: readonly Utterance[]
}

/** A file of eval/data/time. */
interface TimeFile extends Pick<TimeData, 'now' | 'time_zone'> {
  readonly groups: readonly (Pick<Utterance, 'language' | 'source'> & {
    readonly utterances: readonly Omit<Utterance, 'language' | 'source'>[]
  })[]
}

export type TimePart = 'dev' | 'held-out'

const LANGUAGES = { en: 'English', de: 'German', fr: 'French', es: 'Spanish' } as const
/** Of the utterances held out, by the design's page on time in words. */
const LEAST_RIGHT = 0.9

interface Judged {
  readonly utterance: Utterance
  readonly reading: Reading
  readonly verdict: Verdict
}

interface TimeTask {
  readonly part: TimePart
  /** `en`, `de`, `fr`, `es`; null for all. */
  readonly language: string | null
  /** Lists what was read silently wrong. */
  readonly show: boolean
}

export async function readTimeData(part: TimePart): Promise<TimeData> {
  const file: TimeFile = await Bun.file(join(import.meta.dir, 'data/time', `${part}.json`)).json()
  const utterances = file.groups.flatMap(({ language, source, utterances: group }) =>
    group.map((one) => ({ ...one, language, source })),
  )
  return { now: file.now, time_zone: file.time_zone, utterances }
}

/**
 * Reads every utterance by quick add, or another reader, and by chrono-node. The table as Markdown, what was silently
 * wrong if that is to be shown, and whether the part held out misses a target; the dev part has none.
 */
export async function measureTime(
  { part, language, show }: TimeTask,
  read: Reader = readQuick,
): Promise<{ text: string; missed: boolean }> {
  const data = await readTimeData(part)
  const asked = { ...data, utterances: data.utterances.filter((one) => language === null || one.language === language) }
  const quick = judgeAll(asked, read)
  const chrono = judgeAll(asked, readChrono)
  const isHeldOut = part === 'held-out'
  const figures = Object.entries(LANGUAGES).flatMap(([code, name]) => {
    const of = (judged: readonly Judged[]) => judged.filter(({ utterance }) => utterance.language === code)
    return of(quick).length === 0 ? [] : [...figuresOf(name, of(quick), false), ...baseline(name, of(chrono))]
  })
  const all = figuresOf('all', quick, isHeldOut)
  const wrong = show ? quick.filter(({ verdict }) => verdict === 'silently wrong').map(lineOf) : []
  return {
    text: [formatTable([...figures, ...all, ...baseline('all', chrono)]), ...wrong.map((line) => `${line}\n`)].join(''),
    missed: all.some(({ reached }) => reached === false),
  }
}

function judgeAll({ now, time_zone, utterances }: TimeData, read: Reader): Judged[] {
  return utterances.map((utterance) => {
    const zone = utterance.time_zone ?? time_zone
    const reading = read(utterance, { now: Date.parse(utterance.now ?? now), time_zone: zone })
    return { utterance, reading, verdict: judge(utterance, reading, zone) }
  })
}

function countOf(judged: readonly Judged[], verdict: Verdict) {
  return { right: judged.filter((one) => one.verdict === verdict).length, of: judged.length }
}

function figuresOf(name: string, judged: readonly Judged[], hasTargets: boolean): Figure[] {
  const wrong = countOf(judged, 'silently wrong').right
  const silent: Figure = {
    what: `${name}: silently wrong`,
    target: hasTargets ? '0' : '',
    measured: `${wrong} of ${judged.length}`,
    reached: hasTargets ? wrong === 0 : null,
  }
  return [
    toShareFigure(`${name}: right`, countOf(judged, 'right'), hasTargets ? LEAST_RIGHT : null),
    toShareFigure(`${name}: warned`, countOf(judged, 'warned'), null),
    silent,
  ]
}

function baseline(name: string, judged: readonly Judged[]): Figure[] {
  return [
    toShareFigure(`${name}: right by chrono-node`, countOf(judged, 'right'), null),
    toShareFigure(`${name}: silently wrong by chrono-node`, countOf(judged, 'silently wrong'), null),
  ]
}

/** One line: the text, what is expected, what was read. */
function lineOf({ utterance, reading }: Judged): string {
  const { text, language, source, ...expected } = utterance
  return `${language} ${source}: ${text}\n  expected ${JSON.stringify(expected)}\n  read     ${JSON.stringify(reading)}`
}
