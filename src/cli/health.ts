import { get } from 'node:http'

/** Asks the server on this machine; `satchel health`: whether it takes requests, for the health check of a container. */

/** A server that takes longer does not answer. */
const TIMEOUT_MS = 4000

/** Asks a server whether it is ready. Returns a sentence if so. @throws Error of one sentence if not */
export async function checkHealth(url: string): Promise<string> {
  const { status } = await ask(`${url}/readyz`)
  if (status !== 200) throw new Error(`The server at ${url} is not ready: it answers ${status}.`)
  return `The server at ${url} is ready.`
}

/** Sends a GET. `fetch` would send it to the proxy that HTTP_PROXY names. @throws Error of one sentence without an answer */
export function ask(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const fail = () => reject(new Error(`No server answers at ${new URL(url).origin}.`))
  get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }, (answer) => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (part: string) => {
      text += part
    })
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    answer.on('error', fail)
  }).on('error', fail)
  return promise
}
