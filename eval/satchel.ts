import { KEY } from '../bench/requests'
import { SATCHEL, start } from '../bench/server'
import { startEmbeddings } from './embeddings'

/** The text of a note. */
export interface NoteText {
  readonly title: string
  readonly body: string
}

/** Settings for search by words alone, whatever the environment sets. */
const WORDS_ONLY = { SEMANTIC_BASE_URL: '' }
/** The time between two checks of the number of vectors. */
const POLL_MS = 1000
/** The time without new vectors after which waiting fails. */
const STUCK_MS = 120_000

/**
 * Starts a server with these notes in the workspace of a key, and returns functions to call it over HTTP.
 * @param meaning whether it also finds by meaning; then it waits until all vectors are there
 * @param settings further settings, such as a clock of its own
 */
export async function startSatchel(
  texts: readonly NoteText[],
  meaning = false,
  settings: Readonly<Record<string, string>> = {},
) {
  // The environment may name another model.
  const model = meaning && !process.env.SEMANTIC_BASE_URL ? await startEmbeddings() : null
  const semantic = meaning ? model?.settings : WORDS_ONLY
  const server = await start({ ...SATCHEL, settings: { ...SATCHEL.settings, ...semantic, ...settings } })
  const as = (key: string) => {
    const ask = (path: string, init: RequestInit) =>
      fetch(`http://127.0.0.1:${server.port}${path}`, {
        ...init,
        headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
      })
    async function send(method: string, path: string, body?: unknown) {
      const answer = await ask(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
      return text === '' ? null : JSON.parse(text)
    }
    return {
      send,
      post: (path: string, body: unknown) => send('POST', path, body),
      get: (path: string) => ask(path, { method: 'GET' }),
    }
  }
  const own = as(KEY)
  const ids: string[] = []
  for (const { title, body } of texts)
    ids.push((await own.post('/api/notes', { ...(title ? { title } : {}), body })).id)
  if (meaning) await waitUntilEmbedded(server.port, texts.length)
  return {
    /** The ids of the notes, in the order of the texts. */
    ids,
    meaning,
    ...own,
    /** The same for the workspace of another key. */
    as,
    async close() {
      await server.stop()
      await model?.stop()
    },
  }
}

/** Waits until `wanted` texts have vectors. Throws if no more come. */
async function waitUntilEmbedded(port: number, wanted: number): Promise<void> {
  let [done, since] = [0, Date.now()]
  while (done < wanted) {
    await Bun.sleep(POLL_MS)
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const now = Number(/^satchel_search_embedded_total (\d+)/m.exec(metrics)?.[1] ?? 0)
    if (now > done) [done, since] = [now, Date.now()]
    if (Date.now() - since > STUCK_MS) throw new Error(`${done} of ${wanted} texts have vectors, and no more come`)
  }
}
