import { KEY } from '../bench/requests'
import { SATCHEL, start } from '../bench/server'

/** What becomes a note. */
export interface NoteText {
  readonly title: string
  readonly body: string
}

/** By words alone, whatever the environment sets; and with the model that it sets, else the one in the process. */
const WORDS_ONLY = { SEMANTIC: '', SEMANTIC_BASE_URL: '' }
const WITH_MEANING = process.env.SEMANTIC_BASE_URL ? {} : { SEMANTIC: 'local' }
/** Between two looks at how far the vectors are, and without any for so long, in milliseconds. */
const POLL_MS = 1000
const STUCK_MS = 120_000

/**
 * A server with these notes in the workspace of a key, asked over HTTP as any client would.
 * @param meaning whether it finds by meaning too; then all vectors are there
 */
export async function startSatchel(texts: readonly NoteText[], meaning = false) {
  const server = await start({
    ...SATCHEL,
    settings: { ...SATCHEL.settings, ...(meaning ? WITH_MEANING : WORDS_ONLY) },
  })
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
  if (meaning) await waitUntilEmbedded(server.port, texts.length)
  return {
    /** Of the notes, in the order of the texts. */
    ids,
    meaning,
    post,
    get: (path: string) => send(path, { method: 'GET' }),
    close: () => server.stop(),
  }
}

/** Waits until so many texts have vectors. Throws if there come none. */
async function waitUntilEmbedded(port: number, wanted: number): Promise<void> {
  let [done, since] = [0, Date.now()]
  while (done < wanted) {
    await Bun.sleep(POLL_MS)
    const told = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const now = Number(/^satchel_search_embedded_total (\d+)/m.exec(told)?.[1] ?? 0)
    if (now > done) [done, since] = [now, Date.now()]
    if (Date.now() - since > STUCK_MS) throw new Error(`${done} of ${wanted} texts have vectors, and no more come`)
  }
}
