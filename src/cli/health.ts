/** Asks the server on this machine; `satchel health`: whether it takes requests, for the health check of a container. */

/** A server that takes longer does not answer. */
const TIMEOUT_MS = 4000

/** Asks a server whether it is ready. Returns a sentence if so. @throws Error of one sentence if not */
export async function checkHealth(url: string): Promise<string> {
  const { status } = await ask(`${url}/readyz`)
  if (status !== 200) throw new Error(`The server at ${url} is not ready: it answers ${status}.`)
  return `The server at ${url} is ready.`
}

/** A GET past any proxy that HTTP_PROXY names; follows no redirect. @throws Error of one sentence without an answer */
export async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(url, { headers, signal, proxy: false, redirect: 'manual' })
    return { status: answer.status, text: await answer.text() }
  } catch (error) {
    const { origin, protocol } = new URL(url)
    const why = protocol === 'https:' && error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Error(`No server answers at ${origin}${why}.`, { cause: error })
  }
}
