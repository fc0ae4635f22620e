import { KEY } from '../bench/requests'
import { startSatchel } from '../bench/server'

/** What becomes a note. */
export interface NoteText {
  readonly title: string
  readonly body: string
}

/** A server with these notes in the workspace of a key, asked over HTTP as any client would. */
export async function satchelWith(texts: readonly NoteText[]) {
  const server = await startSatchel()
  const send = (path: string, init: RequestInit) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      ...init,
      headers: { 'Content-Type': 'application/json', 'X-API-Key': KEY },
    })
  async function post(path: string, body: unknown) {
    const answer = await send(path, { method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const ids: string[] = []
  for (const { title, body } of texts) ids.push((await post('/api/notes', { title, body })).id)
  return {
    /** Of the notes, in the order of the texts. */
    ids,
    post,
    get: (path: string) => send(path, { method: 'GET' }),
    close: () => server.stop(),
  }
}
