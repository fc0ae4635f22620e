import { asList, asObject, type JsonObject } from '../../src/openapi/json-schema'
import { archiveOf, NOTE_TYPE_LINE } from '../archive/support'
import { NOBODY } from '../support/asking'
import { operations, resolve } from '../support/openapi'
import { raw } from '../support/raw'

/** A workspace that has one of everything, made by the examples of the document itself. */

export interface Stock {
  /** Fills a path of the document with what is there; `{id}` and the like with what never was, if nothing is. */
  fill(template: string): string
  /** Every id in it that a path can name. */
  readonly ids: readonly string[]
}

/** The example of an operation's JSON body; undefined if it takes none. */
export function exampleOf(document: JsonObject, operation: JsonObject): unknown {
  const content = asObject(resolve(document, operation.requestBody).content)
  const media = asObject(content['application/json'])
  return asList(resolve(document, media.schema).examples)[0] ?? media.example
}

/** Makes it in the workspace of a key, or in the scratch space of this machine. */
export async function stock(url: string, key: string | null, document: JsonObject): Promise<Stock> {
  const ids = new Map<string, string>()
  const day = '2026-03-01'
  const file = 'torture.txt'
  const rest: Record<string, string> = { date: day, n: '1', name: file }
  const fill = (template: string) =>
    template
      .replace(/^(.*)\/\{id\}/, (_, collection) => `${collection}/${ids.get(collection) ?? NOBODY}`)
      .replaceAll(/\{(\w+)\}/g, (_, name) => rest[name] ?? NOBODY)
  const send = async (method: string, path: string, body?: unknown, headers = {}) => {
    const named = key === null ? {} : { 'X-API-Key': key }
    const own = { ...named, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers }
    const sent = body === undefined ? {} : { body: raw(body) }
    const response = await fetch(url + path, { method, headers: own, ...sent })
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
    const answered: any = await response.json()
    return answered
  }
  for (const { path, method, operation } of operations(document)) {
    const example = exampleOf(document, operation)
    if (method !== 'post' || example === undefined || !/^\/api\/(notes|tasks|flashcards)/.test(path)) continue
    const body = await send('POST', fill(path), example)
    const made = body.review?.id ?? body.id
    const collection = path.endsWith('/cards/{id}/reviews') ? '/api/flashcards/reviews' : path
    if (typeof made === 'string' && !ids.has(collection)) ids.set(collection, made)
    if (path === '/api/flashcards/facts')
      ids.set('/api/flashcards/cards', (await send('GET', '/api/flashcards/cards')).items[0].id)
  }
  const task = ids.get('/api/tasks')
  const completions = await send('GET', `/api/tasks/${task}/completions`)
  const cid: string = completions.items?.[0]?.id ?? NOBODY
  rest.cid = cid
  await send('PUT', `/api/notes/daily/${day}`, { body: 'a day' })
  const run = await send('POST', '/api/notes/import', '# imported', { 'Content-Type': 'text/markdown' })
  ids.set('/api/imports', run.id)
  const bytes = { 'Content-Type': 'application/octet-stream' }
  await send('PUT', `/api/flashcards/media/${file}`, 'plain text', bytes)
  ids.set('/api/notes/attachments', (await send('POST', `/api/notes/attachments?name=${file}`, 'plain text', bytes)).id)
  const noteType = { ...NOTE_TYPE_LINE, id: Bun.randomUUIDv7() }
  await send('POST', '/api/import', archiveOf({ note_type: [noteType] }), { 'Content-Type': 'application/zip' })
  ids.set('/api/flashcards/note-types', noteType.id)
  rest.path = (await send('POST', '/api/notes', { title: 'torture' })).title
  const made = [...ids.values(), cid]
  // A model is everybody's.
  ids.set('/api/openai/models', 'satchel-local')
  return { fill, ids: made }
}
