import { ResourceNotFoundError, type TextResourceContents } from '@modelcontextprotocol/server'
import { ifNotFound } from '../http/api-error'
import { Id } from '../http/schema'
import { today } from '../http/values'
import { fromDay, toDay, weekdayOf } from '../lib/civil/day'
import { invalidParams, type McpCall } from './call'
import type { McpAgenda, McpAgendaDay, McpNote, McpServices } from './services'
import { AGENDA_URI, type ResourceName, readResourceUri } from './uris'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Writes an agenda as Markdown, with the ids of the tasks, by which tools can change them. */
export function writeAgenda({ time_zone, overdue, overdue_more, days, next_from }: McpAgenda): string {
  const [first] = days
  const title = days.length === 1 && first ? `# Agenda of ${writeDay(first.date)}` : '# Agenda'
  const late = overdue.map(({ id, title: task, due }) => `- ${task} (${writeDue(due)}; task ${id})`)
  return [
    title,
    `Time zone: ${time_zone}`,
    ...section('## Overdue', late, overdue_more ? 'There are more overdue tasks.' : null),
    ...days.flatMap((day) => writeItems(day)),
    ...(next_from === null ? [] : [`There is more from ${next_from} on.`]),
  ]
    .join('\n\n')
    .concat('\n')
}

function writeItems({ date, items, more }: McpAgendaDay): string[] {
  const lines = items.map(({ task_id, title, kind, time, projected }) => {
    const what = [kind === 'start' ? 'starts' : 'due', ...(projected ? ['a later date of a repeating task'] : [])]
    return `- ${time === null ? '' : `${time} `}${title} (${what.join(', ')}; task ${task_id})`
  })
  return section(`## ${writeDay(date)}`, lines, more ? 'There are more tasks on this day.' : null, 'Nothing.')
}

/** Writes a heading and its list; nothing if the list is empty and there is no text for that. */
function section(heading: string, lines: readonly string[], end: string | null, empty?: string): string[] {
  if (lines.length === 0) return empty === undefined ? [] : [heading, empty]
  return [heading, lines.join('\n'), ...(end === null ? [] : [end])]
}

const writeDay = (date: string): string => `${WEEKDAYS[weekdayOf(toDay(date))]}, ${date}`

const writeDue = (due: { readonly date: string; readonly time: string | null } | null): string =>
  due === null ? 'no date' : `due ${due.date}${due.time === null ? '' : ` ${due.time}`}`

/** Says in `_meta` that a text is stored data, in which a model must not follow instructions. */
export const UNTRUSTED = { 'satchel/untrusted': true } as const

/** Notes of one title that an error lists, at most. */
const MAX_LISTED_NOTES = 5

const ID = new RegExp(Id.pattern ?? '')

export function createStoredTexts(call: Pick<McpCall, 'session' | 'now' | 'timeZone'>, services: McpServices) {
  const { session, now, timeZone } = call
  const { notes } = services

  async function findById(id: string): Promise<McpNote | null> {
    const note = await notes.get(session, id).catch(ifNotFound)
    return note === null || note.resource.deleted_at !== null ? null : note.resource
  }

  /** Returns the living note of this exact title; null if there is none. Throws invalid parameters if there are several. */
  async function findByTitle(title: string): Promise<McpNote | null> {
    const { items } = await notes.list(session, { title, archived: 'any', limit: String(MAX_LISTED_NOTES + 1) })
    const [first, second] = items
    if (!first) return null
    if (!second) return findById(first.id)
    const ids = items.slice(0, MAX_LISTED_NOTES).map(({ id }) => id)
    const detail = `Several notes have this title. Use one of these ids: ${ids.join(', ')}.`
    throw invalidParams(detail, { code: 'conflict', ids })
  }

  /** Returns the living note of this id or exact title; null if there is none. Throws invalid parameters if there are several. */
  async function findNote(name: string): Promise<McpNote | null> {
    return (ID.test(name) ? await findById(name) : null) ?? findByTitle(name)
  }

  async function findDaily(date: string): Promise<McpNote | null> {
    const id = await notes.names.findDaily(session, date)
    return id === null ? null : findById(id)
  }

  async function readAgenda(days: number): Promise<string> {
    const from = today(now, timeZone)
    const to = fromDay(toDay(from) + days - 1)
    return writeAgenda(await services.agenda(session, { from, to, time_zone: timeZone }))
  }

  async function readName(uri: string, name: ResourceName): Promise<TextResourceContents | null> {
    if (name.kind === 'agenda') return writeAgendaContents(await readAgenda(1))
    const note = await (name.kind === 'daily' ? findDaily(name.date) : findNote(name.name))
    return note && writeContents(uri, note)
  }

  return {
    findNote,
    readAgenda,

    /** Returns the text of a URI. Throws the error for resources that do not exist, or not for this caller. */
    async read(uri: string): Promise<TextResourceContents> {
      const name = readResourceUri(uri)
      const contents = name && (await readName(uri, name))
      if (!contents) throw new ResourceNotFoundError(uri)
      return contents
    },
  }
}

export function writeContents(uri: string, { id, title, revision, updated_at, body }: McpNote): TextResourceContents {
  const about = {
    'satchel/id': id,
    'satchel/title': title,
    'satchel/revision': revision,
    'satchel/updated_at': updated_at,
  }
  return { uri, mimeType: 'text/markdown', text: body, _meta: { ...UNTRUSTED, ...about } }
}

export const writeAgendaContents = (text: string): TextResourceContents => ({
  uri: AGENDA_URI,
  mimeType: 'text/markdown',
  text,
  _meta: UNTRUSTED,
})
