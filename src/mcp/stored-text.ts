import { ResourceNotFoundError, type TextResourceContents } from '@modelcontextprotocol/server'
import { ifNotFound } from '../http/api-error'
import { Id } from '../http/schema'
import { today } from '../http/values'
import { fromDay, toDay } from '../lib/civil/day'
import { writeAgenda } from './agenda-text'
import type { McpCall } from './call'
import { invalidParams } from './protocol-errors'
import type { McpNote, McpServices } from './services'
import { AGENDA_URI, type ResourceName, readResourceUri } from './uris'

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
