import { expect } from 'bun:test'
import type { As } from '../support/world'
import { makeNotesWorld } from './support'

export const ID = '01890000-0000-7000-8000-000000000001'

/** 270 KB of what takes marked long: emphasis, links and code in every line. */
export const LONG = Array.from(
  { length: 2900 },
  (_, n) =>
    `- *${n}* **bold _and_ thin** [a](https://example.org/${n}) \`code\` [[Note ${n % 9}|here]] ~~gone~~ text.\n`,
).join('')

export const isFallback = (text: string) => text.startsWith('<pre data-fallback="too_complex">')

/** A world in which notes are stored and read as HTML. */
export async function makeHtmlWorld() {
  const world = await makeNotesWorld()

  async function put(me: As, body: string): Promise<string> {
    const { status, body: note } = await world.call(me, 'POST', '/api/notes', { id: ID, title: 'T', body })
    expect(status).toBe(201)
    return note.id
  }

  async function html(me: As, id = ID): Promise<{ etag: string | null; body: string }> {
    const answer = await world.call(me, 'GET', `/api/notes/${id}`, undefined, { Accept: 'text/html' })
    expect(answer.status).toBe(200)
    return { etag: answer.headers.get('etag'), body: answer.body }
  }

  return { ...world, put, html }
}
