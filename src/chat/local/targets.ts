/** Finds the things that messages name, and reads results of tools. */
import type { TimeLanguage } from '../../lib/civil/day'
import { fold } from '../../search/fold'
import type { FindTexts, FoundText } from '../../search/service'
import type { CitationSource } from '../../tools/source'
import { allowsKind, isNarrow, showsResource, type ToolOutcome } from '../../tools/tool'
import { toAnswerText } from '../answer-text'
import type { EngineRun } from '../engine'
import type { ParsedRequest } from '../request'
import { type Command, isSameTitle, type Named } from './commands'
import { term, write } from './replies'
import { findMentioned, type Mentioned, type Talk } from './talk'
import { isCommon, splitWords, stem } from './words'

/** A result of a tool, which is read member by member without trusting its types. */
export type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
export const listMember = (result: Json, name: string): Json[] => {
  const list = result[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}
export const textMember = (result: Json, name: string): string => (typeof result[name] === 'string' ? result[name] : '')
export const countMember = (result: Json, name: string): number => (typeof result[name] === 'number' ? result[name] : 0)

/** Writes a date, or a date with a time, for people. */
export const writeDue = (due: string): string => due.replace('T', ' at ')

/** Reads the date, and the time if there is one, that words name; null if they name none, or say more. */
export type ReadWhen = (
  words: string,
  ask: Pick<ParsedRequest, 'timeZone' | 'languages'>,
) => { readonly date: string; readonly time: string | null } | null

export interface ActDeps {
  readonly findTexts: FindTexts
  readonly readWhen: ReadWhen
}

/** A run with what the message is about. */
export interface Acting {
  readonly run: EngineRun
  readonly talk: Talk
  readonly language: TimeLanguage
}

/** A thing that a command may mean. */
export interface Target {
  readonly type: 'note' | 'task'
  readonly id: string
  readonly title: string
  readonly due: string
  readonly isDone: boolean
}

/** Says why a tool did nothing; returns whether it did nothing. */
export function sayFault({ run, language }: Acting, { fault }: ToolOutcome): boolean {
  if (fault) run.say(write(language, 'fault', fault.detail))
  return fault !== null
}

/** Writes the mark of a source behind what is said of it; '' without one. */
export const writeMark = (run: EngineRun, source: CitationSource | undefined): string =>
  source ? ` [${run.cite(source)}]` : ''

export const quote = (title: string): string => `"${toAnswerText(title)}"`

/** Results that are looked through for a thing. */
const MAX_CANDIDATES = 30
/** The share of the words of a loose name that a title has at least, and the words that they then have in common. */
const [LEAST_SHARE, LEAST_WORDS] = [0.6, 2]

const keysOf = (text: string, language: TimeLanguage): string[] => {
  const all = splitWords(text).map((word) => word.text)
  const telling = all.filter((word) => !isCommon(word, language) && !isCommon(word, null))
  return [...new Set((telling.length > 0 ? telling : all).map((word) => stem(word, language)))]
}

/** What fits a name: the best, or several that fit as well; `share` tells how much of the name they have. */
interface Fits {
  readonly targets: readonly Target[]
  readonly share: number
  readonly near: readonly Target[]
}

/** Chooses among candidates: that title, else those with all words of the name, of these the shortest, else most of them. */
export function chooseTarget(named: Named, candidates: readonly Target[], language: TimeLanguage): Fits {
  const same = candidates.filter(({ title }) => isSameTitle(title, named.words))
  if (same.length > 0 || named.quoted) return { targets: same, share: same.length > 0 ? 1 : 0, near: candidates }
  const keys = keysOf(named.words, language)
  const rated = candidates.map((target) => {
    const title = new Set(splitWords(target.title).flatMap(({ text }) => [stem(text, language), stem(text, 'en')]))
    const common = keys.filter((key) => title.has(key)).length
    return { target, common, share: common / Math.max(keys.length, 1) }
  })
  const best = Math.max(0, ...rated.map(({ share }) => share))
  const least = rated.filter(
    ({ share, common }) => share === best && (share === 1 || (share >= LEAST_SHARE && common >= LEAST_WORDS)),
  )
  return { targets: least.map(({ target }) => target), share: best, near: candidates }
}

/** Finds what a name means among notes and tasks outside the trash. */
export async function findTargets(
  { findTexts }: ActDeps,
  { run, language }: Acting,
  named: Named,
  types: readonly Target['type'][],
  isDone: boolean | null,
): Promise<Fits> {
  const { scope } = run.ask
  const kinds = types.filter((type) => allowsKind(scope, type))
  if (kinds.length === 0) return { targets: [], share: 0, near: [] }
  const words = splitWords(named.words).map(({ text }) => ({ text, weight: 1 }))
  const limit = isNarrow(scope) ? 200 : MAX_CANDIDATES
  const { texts } = await findTexts(run.session, words.slice(0, 32), { types: kinds, limit })
  const candidates = texts
    .filter(({ type, id, texts: { tags } }) => showsResource(scope, { kind: type, ids: [id], tags }))
    .map(toTarget)
    .filter((target) => isDone === null || target.type === 'note' || target.isDone === isDone)
  return chooseTarget(named, candidates, language)
}

const spaced = (text: string): string =>
  ` ${splitWords(text)
    .map((word) => fold(word.text))
    .join(' ')} `

/** Tells whether a text has the whole title of a note or a task, of two words at least, and says more. */
export async function saysMoreOf(deps: ActDeps, acting: Acting, text: string): Promise<boolean> {
  const named: Named = { words: text, quoted: false, type: null, points: false }
  const { near } = await findTargets(deps, acting, named, ['note', 'task'], null)
  const whole = spaced(text)
  return near
    .map(({ title }) => spaced(title))
    .some((title) => /\S \S/.test(title) && title !== whole && whole.includes(title))
}

export const makeTarget = (type: string, id: string, title: string, due = '', isDone = false): Target => ({
  ...{ type: type === 'task' ? 'task' : 'note', id, title, due, isDone },
})

function toTarget({ type, id, title, shown }: FoundText): Target {
  const due = 'due' in shown && shown.due ? `${shown.due.date}${shown.due.time ? `T${shown.due.time}` : ''}` : ''
  return makeTarget(type, id, title, due, 'status' in shown && shown.status === 'done')
}

const MAX_OFFERED = 10
/** A command about all things at once, which is none. */
const EVERYTHING =
  /^(?:everything|all(?: of)?(?: the| my)?(?: tasks| items| notes)?|every(?:thing)? .*|alles|alle .*|tout|toutes? .*|todos?|todas? .*)(?: on .*)?$/i

/** Finds the one thing that a command means; says why if there is not exactly one. `'none'`: nothing was said. */
export async function findOne(
  deps: ActDeps,
  acting: Acting,
  command: Command,
  types: readonly Target['type'][],
  isDone: boolean | null = null,
): Promise<Target | 'none' | null> {
  const { run, language, talk } = acting
  const { isLoose } = command
  let named = command.named as Named
  if (EVERYTHING.test(named.words) && !named.quoted) {
    run.say(write(language, 'notAll'))
    return null
  }
  if (named.points) {
    const mentioned = findMentioned(talk, named, types as readonly Mentioned['type'][])
    const [only] = mentioned
    if (!only) {
      run.say(write(language, 'unclear', named.words))
      return null
    }
    if (mentioned.length > 1) {
      sayOffer(acting, 'several', only.type, named.words, mentioned)
      return null
    }
    named = { words: only.title, quoted: true, type: only.type === 'card' ? null : only.type, points: false }
  }
  const kinds = named.type ? types.filter((type) => type === named.type) : types
  const { targets, near } = await findTargets(deps, acting, named, kinds, isDone)
  const [only] = targets
  if (only && targets.length === 1) return only
  if (!only && isLoose) return 'none'
  const type = kinds[0] ?? 'task'
  sayOffer(acting, only ? 'several' : 'noneFits', only?.type ?? type, named.words, only ? targets : near)
  return null
}

export function sayOffer(
  { run, language }: Acting,
  key: 'several' | 'noneFits',
  type: string,
  name: string,
  offered: readonly { readonly title: string }[],
) {
  const what = term(language, key === 'several' ? `${type}s` : type)
  if (offered.length === 0) return run.say(write(language, 'noneFits', name, what))
  const sorted = offered.toSorted((a, b) => a.title.localeCompare(b.title))
  const lines = sorted.slice(0, MAX_OFFERED).map(({ title }, i) => `\n${i + 1}. ${quote(title)}`)
  run.say(write(language, key === 'several' ? 'several' : 'nearTitles', name, what) + lines.join(''))
}
