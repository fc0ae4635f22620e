import type { FileFacts, ImportWarning, ReadItem, SourceFile } from '../../imports/kind'
import { TIME_LANGUAGES } from '../../lib/civil/day'
import { findUnread } from '../../lib/civil/words/date'
import { readTime, type TimeContext } from '../../lib/civil/words/read'
import type { TimeReading } from '../../lib/civil/words/reading'
import { isZone } from '../../lib/civil/zone'
import { type Row, readRows } from '../../lib/csv-rows'
import { FileFault } from '../../lib/file-fault'
import { isMomentAfter } from '../../lib/ical/dates'
import { type ItemMembers, MAX_DURATION_MINUTES, type Warn } from '../../lib/ical/item'
import type { ItemPlace } from '../../lib/ical/members'
import { findFirstDate } from '../../lib/recurrence/slots'
import { cutCodePoints } from '../../lib/text'
import { toItemMoment } from '../task-date'
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

/** The text says when a task is due, how often, how long and when to remind, and nothing else; otherwise null. */
export function readWhen(
  text: string,
  context: Pick<TimeContext, 'now' | 'time_zone' | 'language'>,
): (TimeReading & { readonly due: NonNullable<TimeReading['due']> }) | null {
  const reading = readTime(text, { ...context, dateOrder: null, past: true, firstOccurrence: findFirstDate })
  const { due, spans, warnings } = reading
  return due && warnings.length === 0 && !findUnread(text, spans) ? { ...reading, due } : null
}

// Reads a project as Todoist exports it (CSV template): https://www.todoist.com/help/articles/format-a-csv-file

const READ_COLUMNS = [
  ...(['TYPE', 'CONTENT', 'DESCRIPTION', 'PRIORITY', 'INDENT', 'DATE', 'DATE_LANG', 'TIMEZONE'] as const),
  ...(['DURATION', 'DURATION_UNIT', 'DEADLINE', 'DEADLINE_LANG'] as const),
]
type Column = (typeof READ_COLUMNS)[number]

/** The project of a file without a name that has sections, which the inbox cannot have. */
const PROJECT = 'Todoist'
const MAX_PROJECT_CHARS = 100
/** UTF-16 units of a date in words that are read. */
const MAX_WORDS_UNITS = 200
/** What Todoist writes in empty cells of some columns. */
const NONE = 'None'
const LABEL = /(^|\s)@([^\s@]+)(?=\s|$)/g

/** The cells of a row by column, and the line where it begins. */
interface CsvRow {
  readonly line: number
  readonly type: string
  cell(column: Column): string
}

interface Survey {
  readonly hasSections: boolean
  readonly ignored: FileFacts['ignored']
  readonly warnings: readonly ImportWarning[]
}

interface OpenTask {
  readonly row: CsvRow
  readonly uid: string
  readonly parent_uid: string | null
  readonly section: string | null
  readonly comments: string[]
}

type Dates = Pick<ItemMembers, 'due' | 'start' | 'recurrence' | 'reminders' | 'duration_minutes'>

/**
 * Reads the tasks of a project, with their sections, parts and comments. Dates are words in the language of their row;
 * those that are not understood are reported, and kept in the notes.
 * @throws FileFault archive_refused if the first line is not Todoist's, invalid_request for an unclosed quote
 */
export function* readTodoist(file: SourceFile, context: LineContext): Generator<FileFacts | ReadItem<TodoItem>> {
  const text = decodeLines(file.whole())
  const { hasSections, ignored, warnings } = survey(text)
  yield { format: 'todoist', ...(ignored ? { ignored } : {}), warnings: [...warnings, ...warnNameless(context)] }
  const project = context.project_id === null ? (toProjectName(context) ?? (hasSections ? PROJECT : null)) : null
  const origin = identifyFile(text, context, readSampleLines(text))
  for (const task of readTasks(text)) yield toReadItem(task, project, origin, context)
}

/** Returns the project of a file by its name: Todoist names an export after its project. */
function toProjectName({ file_name }: LineContext): string | null {
  const [name = ''] = /[^/\\]*$/.exec(file_name?.normalize('NFC') ?? '') ?? []
  const words = name.replace(/\.csv$/i, '').replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  return cutCodePoints(words.trim(), MAX_PROJECT_CHARS).trim() || null
}

/** Yields the tasks, each when its comments are known. */
function* readTasks(text: string): Generator<OpenTask> {
  const counts = new TextCounts()
  const above: string[] = []
  let section: string | null = null
  let open: OpenTask | null = null
  for (const row of readRecords(text)) {
    if (row.type === 'note' || row.type === 'comment') open?.comments.push(row.cell('CONTENT'))
    if (row.type !== 'task' && row.type !== 'section') continue
    if (open) yield open
    open = null
    if (row.type === 'section') {
      section = row.cell('CONTENT').trim() || null
      above.length = 0
      continue
    }
    const { title } = splitLabels(row.cell('CONTENT'))
    const uid = toLineUid(title, counts.next(title))
    const level = Math.min(Math.max(1, Number.parseInt(row.cell('INDENT'), 10) || 1), above.length + 1)
    above.splice(level - 1, above.length, uid)
    open = { row, uid, parent_uid: above[level - 2] ?? null, section, comments: [] }
  }
  if (open) yield open
}

/** Yields the rows below the header, without empty ones. */
function* readRecords(text: string): Generator<CsvRow> {
  const { columns, rows } = readHeader(text)
  for (const { line, cells } of rows) {
    const cell = (column: Column) => cells[columns.indexOf(column)] ?? ''
    const type = cell('TYPE').trim().toLowerCase()
    if (type !== '' || cell('CONTENT').trim() !== '') yield { line, type, cell }
  }
}

function readHeader(text: string): { columns: string[]; rows: Generator<Row> } {
  const [first = ''] = text.split(/\r?\n/, 1)
  const rows = readRows(text, first.includes(';') && !first.includes(',') ? ';' : ',')
  const { value } = rows.next()
  const columns = (value as Row | undefined)?.cells.map((name) => name.trim().toUpperCase()) ?? []
  if (!columns.includes('TYPE') || !columns.includes('CONTENT'))
    throw new FileFault('archive_refused', 'The file is no CSV of Todoist: its first line must name TYPE and CONTENT.')
  return { columns, rows }
}

/** Looks through the file for sections, and for what is not imported. */
function survey(text: string): Survey {
  const ignored = new Map<string, number>()
  const count = (component: string) => void ignored.set(component, (ignored.get(component) ?? 0) + 1)
  const warnings: ImportWarning[] = []
  let [hasSections, hasTask] = [false, false]
  const { columns, rows } = readHeader(text)
  const [type, content] = [columns.indexOf('TYPE'), columns.indexOf('CONTENT')]
  const unread = columns.flatMap((name, i) => (READ_COLUMNS.some((column) => column === name) ? [] : [{ name, i }]))
  for (const { line, cells } of rows) {
    const kind = cells[type]?.trim().toLowerCase() ?? ''
    for (const { name, i } of unread) if (![undefined, '', NONE].includes(cells[i]?.trim())) count(name || 'column')
    if (kind === 'section') {
      hasSections = true
      hasTask = false
    } else if (kind === 'task') hasTask = true
    else if (kind === 'note' || kind === 'comment') {
      if (!hasTask) warnings.push(describeLost(line, cells[content] ?? ''))
    } else if (kind !== '' || cells[content]?.trim()) count(kind || 'row')
  }
  return { hasSections, ignored: [...ignored].map(([component, number]) => ({ component, count: number })), warnings }
}

function describeLost(line: number, comment: string): ImportWarning {
  const detail = `Line ${line}: a comment on no task is left out: "${comment.slice(0, 100)}".`
  return { code: 'comment_without_task', detail }
}

/** Takes the labels out of a content; if nothing else is left, all of it is the title. */
function splitLabels(content: string): { title: string; labels: string[] } {
  const labels = [...content.matchAll(LABEL)].flatMap(([, , name]) => name ?? [])
  const title = content.replace(LABEL, '').trim()
  return title === '' ? { title: content.trim(), labels: [] } : { title, labels }
}

function* readSampleLines(text: string) {
  for (const task of readTasks(text))
    yield { uid: task.uid, former_uids: [], digest: hashOf(toRaw(task)), repeats: false }
}

const toRaw = ({ row, section, parent_uid, comments }: OpenTask) => [
  ...[READ_COLUMNS.map((column) => row.cell(column)), section, parent_uid, comments],
]

function toReadItem(task: OpenTask, project: string | null, file: LineFile, context: LineContext) {
  const { row, section, comments, ...ids } = task
  const warnings: ImportWarning[] = []
  const warn: Warn = (code, detail) => warnings.push({ code, detail })
  const { title, labels } = splitLabels(row.cell('CONTENT'))
  const { unread, ...dates } = readDates(row, context, warn)
  const notes = [row.cell('DESCRIPTION'), ...comments, ...unread].filter((text) => text.trim() !== '').join('\n\n')
  const place: ItemPlace | null = project === null && section === null ? null : { project, section }
  const draft: LineDraft = {
    ...{ ...ids, ...dates, title, labels, notes, place, raw: toRaw(task) },
    priority: readPriority(row, warn),
  }
  const value = toLineItem('todoist', draft, file, warnings)
  return { where: `line ${row.line}`, type: 'task', key: value.uid, value } satisfies ReadItem<TodoItem>
}

/** Todoist's 1 is its most urgent, 4 its default. */
function readPriority(row: CsvRow, warn: Warn): number {
  const text = row.cell('PRIORITY').trim()
  if (/^[1-3]$/.test(text)) return Number(text)
  if (text !== '' && text !== '4' && text !== NONE) warn('unreadable_cell', `PRIORITY: ${shown(text)} is not 1 to 4.`)
  return 0
}

/** Reads the date, the deadline and the duration. `unread` are lines for the notes with words that were not understood. */
function readDates(row: CsvRow, context: LineContext, warn: Warn): Dates & { readonly unread: string[] } {
  const unread: string[] = []
  const lose = (column: Column, detail: string) => {
    warn('not_understood', `${column}: "${shown(row.cell(column))}" ${detail}`)
    unread.push(`${column}: ${row.cell(column).trim()}`)
    return null
  }
  const date = readMoments(row, 'DATE', context, lose)
  const deadline = readMoments(row, 'DEADLINE', context, lose)
  const merged = date && deadline ? merge(date, deadline) : (date ?? deadline ?? NO_DATES)
  if (date && deadline && merged === date) lose('DEADLINE', 'does not go with DATE: it is only kept in the notes.')
  return { ...merged, duration_minutes: readDuration(row, warn) ?? merged.duration_minutes, unread }
}

const NO_DATES: Dates = { due: null, start: null, recurrence: null, reminders: [], duration_minutes: null }

/** Makes the date of a task with a deadline its start; one that repeats keeps its date alone. */
function merge(date: Dates, deadline: Dates): Dates {
  if (date.recurrence || !date.due || !deadline.due || isMomentAfter(date.due, deadline.due)) return date
  return { ...deadline, start: date.due, duration_minutes: date.duration_minutes }
}

function readMoments(
  row: CsvRow,
  column: 'DATE' | 'DEADLINE',
  { now, ...defaults }: LineContext,
  lose: (column: Column, detail: string) => null,
): Dates | null {
  const words = row.cell(column).trim()
  if (words === '' || words === NONE) return null
  if (words.length > MAX_WORDS_UNITS) return lose(column, 'is too long: it is only kept in the notes.')
  const zone = row.cell('TIMEZONE').trim()
  const isNamed = zone !== '' && zone !== NONE
  const time_zone = isZone(zone) ? zone : isNamed ? null : defaults.time_zone
  const code = row.cell(`${column}_LANG`).trim().toLowerCase().split(/[-_]/)[0] || defaults.language
  const language = TIME_LANGUAGES.find((known) => known === code)
  // A date in figures is the same in every language.
  const when =
    language || /^[\d\s:T-]+$/.test(words) ? readWhen(words, { now, time_zone, ...(language && { language }) }) : null
  if (!when) lose(column, 'was not understood: it is only kept in the notes.')
  else if (when.due.time !== null && time_zone === null && isNamed)
    lose('TIMEZONE', 'is not a time zone: the time floats.')
  if (!when) return null
  const { due, start, recurrence, reminders, duration_minutes } = when
  return { due: toItemMoment(due), start: toItemMoment(start), recurrence, reminders, duration_minutes }
}

function readDuration(row: CsvRow, warn: Warn): number | null {
  const [text, unit] = [row.cell('DURATION').trim(), row.cell('DURATION_UNIT').trim().toLowerCase()]
  if (text === '' || text === NONE) return null
  const minutes = Number(text) * (unit === 'day' ? 1440 : 1)
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_DURATION_MINUTES) return minutes
  warn('unreadable_cell', `DURATION: ${shown(text)} ${unit} is not from 1 minute to 30 days.`)
  return null
}

const shown = (text: string) => text.trim().slice(0, 100)
