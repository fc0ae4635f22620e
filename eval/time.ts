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
  readonly groups: readonly (Pick<Utterance, 'language' | 'text_language' | 'source'> & {
    readonly utterances: readonly Omit<Utterance, 'language' | 'text_language' | 'source'>[]
  })[]
}

export const TIME_PARTS = ['dev', 'held-out', 'second', 'second-aside'] as const
export type TimePart = (typeof TIME_PARTS)[number]

const LANGUAGES: Readonly<Record<string, string>> = { en: 'English', de: 'German', fr: 'French', es: 'Spanish' }
/** Of the utterances in these four languages, by the design's page on time in words. Others must only never be wrong. */
const LEAST_RIGHT: Readonly<Partial<Record<TimePart, number>>> = {
  'held-out': 0.9,
  second: 0.92,
  'second-aside': 0.92,
}

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
  const utterances = file.groups.flatMap(({ language, text_language, source, utterances: group }) =>
    group.map((one) => ({ ...one, language, source, ...(text_language && { text_language }) })),
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
  const asked = {
    ...data,
    utterances: data.utterances.filter((one) => language === null || languageOf(one) === language),
  }
  const [quick, chrono] = [judgeAll(asked, read), judgeAll(asked, readChrono)]
  const least = LEAST_RIGHT[part] ?? null
  const figures = Object.entries(LANGUAGES).flatMap(([code, name]) => {
    const of = (judged: readonly Judged[]) => judged.filter(({ utterance }) => languageOf(utterance) === code)
    return of(quick).length === 0 ? [] : [...figuresOf(name, of(quick)), ...baseline(name, of(chrono))]
  })
  const isOther = ({ utterance }: Judged) => !Object.hasOwn(LANGUAGES, languageOf(utterance))
  const others = quick.filter(isOther)
  const all = [
    ...figuresOf(
      'all',
      quick.filter((one) => !isOther(one)),
      least,
    ),
    ...(others.length === 0 ? [] : [silenceOf('other languages', others, least !== null)]),
  ]
  // Nobody who works on the reader looks at the sentences that are set aside.
  const isShown = show && part !== 'second-aside'
  const wrong = isShown ? quick.filter(({ verdict }) => verdict === 'silently wrong').map(lineOf) : []
  return {
    text: [formatTable([...figures, ...all, ...baseline('all', chrono)]), ...wrong.map((line) => `${line}\n`)].join(''),
    missed: all.some(({ reached }) => reached === false),
  }
}

function languageOf({ language, text_language }: Utterance): string {
  return text_language ?? language ?? ''
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

function figuresOf(name: string, judged: readonly Judged[], least: number | null = null): Figure[] {
  return [
    toShareFigure(`${name}: right`, countOf(judged, 'right'), least),
    toShareFigure(`${name}: warned`, countOf(judged, 'warned'), null),
    silenceOf(name, judged, least !== null),
  ]
}

function silenceOf(name: string, judged: readonly Judged[], hasTarget: boolean): Figure {
  const wrong = countOf(judged, 'silently wrong').right
  return {
    what: `${name}: silently wrong`,
    target: hasTarget ? '0' : '',
    measured: `${wrong} of ${judged.length}`,
    reached: hasTarget ? wrong === 0 : null,
  }
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
