import { get } from 'node:http'

/** `satchel health`: whether a server takes requests, for the health check of a container. */

/** A check that takes longer has failed. */
const TIMEOUT_MS = 4000

/** Asks a server whether it is ready. Returns a sentence if so. @throws Error of one sentence if not */
export async function checkHealth(url: string): Promise<string> {
  const status = await askReady(url)
  if (status === null) throw new Error(`No server answers at ${url}.`)
  if (status !== 200) throw new Error(`The server at ${url} is not ready: it answers ${status}.`)
  return `The server at ${url} is ready.`
}

/** Returns the status of /readyz; null without an answer. `fetch` would ask the proxy that HTTP_PROXY names. */
function askReady(url: string): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  get(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) }, (answer) => {
    answer.resume()
    resolve(answer.statusCode ?? null)
  }).on('error', () => resolve(null))
  return promise
}
