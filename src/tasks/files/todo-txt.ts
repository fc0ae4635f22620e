import type { FileFacts, ImportWarning, ReadItem, SourceFile } from '../../imports/kind'
import { FIRST_DATE, fromDay, LAST_DATE, toDay } from '../../lib/civil/day'
import type { ItemMoment, ItemRecurrence, Warn } from '../../lib/ical/item'
import {
  decodeLines,
  hashOf,
  identifyFile,
  type LineContext,
  type LineDraft,
  type LineFile,
  TextCounts,
  type TodoItem,
  toLineItem,
  toLineUid,
  warnNameless,
} from './item'

// Reads todo.txt: https://github.com/todotxt/todo.txt, with the keys `due:`, `t:`, `rec:` and `pri:` of its add-ons.

const DATE = /^\d{4}-\d\d-\d\d$/
const PRIORITY = /^\(([A-Z])\)$/
/** UTF-16 units of a line: far more than a title holds. */
const MAX_LINE_UNITS = 20_000
const LONG_LINE = { code: 'line_too_long', detail: `The line has more than ${MAX_LINE_UNITS} characters.` }
/** Units of `rec:`; `b`, business days, is a rule only for each of them. */
const UNITS: Readonly<Record<string, string>> = { d: 'DAILY', w: 'WEEKLY', m: 'MONTHLY', y: 'YEARLY' }

/** What comes before the text of a line. */
interface Head {
  readonly done: boolean
  /** A to Z. */
  readonly letter: string | null
  readonly completed: string | null
  readonly created: string | null
  readonly words: readonly string[]
}

/** What the words of a line say; the others are its title. */
interface Body {
  readonly title: string[]
  readonly projects: string[]
  readonly labels: string[]
  readonly keys: Map<'due' | 't' | 'rec' | 'pri', string>
}

/** Open lines that a finished one may have been; more of the same text are rare. */
const MAX_FORMER_LINES = 8

interface Line extends Pick<LineDraft, 'uid'> {
  readonly number: number
  readonly raw: string
  readonly head: Head
  readonly body: Body
  readonly warnings: readonly ImportWarning[]
  readonly former_uids: readonly string[]
}

/** Reads one task a line. Words of a key that is not known, or cannot be read, stay in the title. */
export function* readTodoTxt(file: SourceFile, context: LineContext): Generator<FileFacts | ReadItem<TodoItem>> {
  const text = decodeLines(file.whole())
  yield { format: 'todo.txt', warnings: warnNameless(context) }
  const open = countOpenLines(text)
  const origin = identifyFile(text, context, readSampleLines(text, open))
  for (const { number, line } of readLines(text, open))
    yield line ? toReadItem(line, origin) : { where: `line ${number}`, type: 'task', fault: LONG_LINE }
}

/** Yields the lines that are not blank; `raw` is null for one that is too long. */
function* splitLines(text: string): Generator<{ readonly number: number; readonly raw: string | null }> {
  for (let [at, number] = [0, 1]; at < text.length; number++) {
    const end = /\r\n?|\n|$/g
    end.lastIndex = at
    const bound = end.exec(text)
    const raw = text.slice(at, bound?.index).trim()
    at = (bound?.index ?? text.length) + Math.max(1, bound?.[0].length ?? 1)
    if (raw !== '') yield { number, raw: raw.length > MAX_LINE_UNITS ? null : raw }
  }
}

function countOpenLines(text: string): TextCounts {
  const counts = new TextCounts()
  for (const { raw } of splitLines(text)) {
    const head = raw === null ? null : readHead(raw.split(/\s+/))
    if (head && !head.done) counts.next(textOf(readBody(head.words, () => {})))
  }
  return counts
}

/**
 * Yields the lines; those that are too long without content. An open line is known by its text. A finished one is a line
 * of its own, by its dates, too: it was open before only if the file has no such open line any more.
 * @param open how many lines of each text are not finished
 */
function* readLines(
  text: string,
  open: TextCounts,
): Generator<{ readonly number: number; readonly line: Line | null }> {
  const [counts, finished] = [new TextCounts(), new TextCounts()]
  for (const { number, raw } of splitLines(text)) {
    if (raw === null) {
      yield { number, line: null }
      continue
    }
    const warnings: ImportWarning[] = []
    const head = readHead(raw.split(/\s+/))
    const body = readBody(head.words, (code, detail) => warnings.push({ code, detail }))
    const words = textOf(body)
    const key = head.done ? ['x', head.completed, head.created, words].join('\0') : words
    const former = head.done ? Math.min(finished.next(words) + 1, MAX_FORMER_LINES) : 0
    const former_uids = Array.from({ length: former }, (_, index) => toLineUid(words, open.get(words) + index))
    yield { number, line: { number, raw, head, body, warnings, uid: toLineUid(key, counts.next(key)), former_uids } }
  }
}

function* readSampleLines(text: string, open: TextCounts) {
  for (const { line } of readLines(text, open)) {
    if (!line) continue
    const { uid, former_uids, raw, head, body } = line
    yield { uid, former_uids, digest: hashOf(raw), repeats: !head.done && body.keys.has('rec') }
  }
}

/** Returns the text by which a line is known: its keys and dates may change. */
const textOf = ({ title, projects, labels }: Body): string => [...title, ...projects, ...labels].join(' ')

function toReadItem(line: Line, file: LineFile): ReadItem<TodoItem> {
  const warnings = [...line.warnings]
  const draft = toDraft(line, (code, detail) => warnings.push({ code, detail }))
  const value = toLineItem('todo.txt', draft, file, warnings)
  return { where: `line ${line.number}`, type: 'task', key: value.uid, value }
}

function readHead(words: readonly string[]): Head {
  const rest = [...words]
  const take = (pattern: RegExp) => (pattern.test(rest[0] ?? '') && rest.length > 1 ? (rest.shift() ?? null) : null)
  const takeDate = () => (isDate(rest[0] ?? '') ? take(DATE) : null)
  const done = take(/^x$/) !== null
  const letter = take(PRIORITY)?.[1] ?? null
  const first = takeDate()
  // A finished task has the day of completion first, and maybe that of creation; another that of creation alone.
  const second = done && first !== null ? takeDate() : null
  return { done, letter, completed: done ? first : null, created: done ? second : first, words: rest }
}

function readBody(words: readonly string[], warn: Warn): Body {
  const body: Body = { title: [], projects: [], labels: [], keys: new Map() }
  for (const word of words) {
    const [, mark, name = ''] = /^([+@])(.+)$/.exec(word) ?? []
    const [, key, value = ''] = /^(due|t|rec|pri):(\S+)$/.exec(word) ?? []
    if (mark === '+') body.projects.push(name)
    else if (mark === '@') body.labels.push(name)
    else if (key === undefined) body.title.push(word)
    else if (isValue(key, value) && !body.keys.has(key as 'due')) body.keys.set(key as 'due', value)
    else {
      warn('not_understood', `${word.slice(0, 100)} was not understood: it stays in the title.`)
      body.title.push(word)
    }
  }
  return body
}

function isValue(key: string, value: string): boolean {
  if (key === 'rec') return readRule(value) !== null
  return key === 'pri' ? /^[A-Z]$/.test(value) : isDate(value)
}

function toDraft({ uid, former_uids, raw, head, body }: Line, warn: Warn): LineDraft {
  const [project = null, ...more] = body.projects
  if (more.length > 0) warn('projects_dropped', `A task is in one project: ${more.length} further became labels.`)
  const letter = head.letter ?? body.keys.get('pri') ?? null
  if (letter !== null && letter > 'D') warn('priority_changed', `Priority ${letter} became the lowest, 4.`)
  const { title, ...dates } = readDates(body, warn)
  return {
    uid,
    former_uids,
    title: title.length > 0 ? title.join(' ') : head.words.join(' '),
    notes: '',
    labels: [...body.labels, ...more],
    place: project === null ? null : { project, section: null },
    status: head.done ? 'done' : 'open',
    priority: letter === null ? 0 : Math.min(4, letter.charCodeAt(0) - 64),
    ...dates,
    completed_at: head.completed && atMidnight(head.completed),
    created_at: head.created && atMidnight(head.created),
    updated_at: head.completed && atMidnight(head.completed),
    raw,
  }
}

/** Reads the dates. What a task cannot have stays in the title. */
function readDates({ title, keys }: Body, warn: Warn) {
  const [due, start, rule] = [toWholeDay(keys.get('due')), toWholeDay(keys.get('t')), keys.get('rec')]
  const left: string[] = []
  const leave = (code: string, detail: string, word: string) => {
    warn(code, detail)
    left.push(word)
  }
  if (rule !== undefined && !due)
    leave('recurrence_without_date', 'rec: needs a due date to count from.', `rec:${rule}`)
  const isLate = due && start && start.date > due.date
  if (isLate) leave('start_dropped', `The start, ${start.date}, is after the due date.`, `t:${start.date}`)
  const recurrence = rule !== undefined && due ? toRecurrence(rule, due.date) : null
  return { title: [...title, ...left], due, start: isLate ? null : start, recurrence }
}

/** Reads `2w` or `+1b`: the rule, and whether it counts from the due date instead of the day of completion. */
function readRule(text: string): { rrule: string; strict: boolean } | null {
  const [, plus = '', digits = '', unit = ''] = /^(\+?)(\d{1,4})([dbwmy])$/.exec(text) ?? []
  const interval = Number(digits)
  if (interval < 1 || interval > 1000 || (unit === 'b' && interval > 1)) return null
  const rule = unit === 'b' ? 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR' : `FREQ=${UNITS[unit]}`
  return { rrule: interval === 1 ? rule : `${rule};INTERVAL=${interval}`, strict: plus === '+' }
}

function toRecurrence(text: string, anchor: string): ItemRecurrence | null {
  const rule = readRule(text)
  if (!rule) return null
  return { rrule: rule.rrule, mode: rule.strict ? 'schedule' : 'completion', skip: 'backward', anchor, exdates: [] }
}

function isDate(text: string): boolean {
  return DATE.test(text) && text >= FIRST_DATE && text <= LAST_DATE && fromDay(toDay(text)) === text
}

function toWholeDay(date: string | undefined): ItemMoment | null {
  return date === undefined ? null : { date, time: null, tz: null }
}

function atMidnight(date: string): string {
  return `${date}T00:00:00.000Z`
}
