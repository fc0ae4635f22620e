import { accepted, SERVER, Unreachable } from '../api/client'
import type { ImportReport } from '../api/types'

/** Files up to this size, in bytes, are done before the server answers: that takes one request rather than two. */
const SMALL_BYTES = 64 * 1024

interface Upload {
  /** From the server's base address, with its query. */
  readonly path: string
  readonly file: File
  /** Its Content-Type. */
  readonly type: string
  readonly key: string | null
  readonly signal: AbortSignal
  /** Called with the share that has gone, from 0 to 1. */
  readonly onSent: (share: number) => void
}

/**
 * Sends a file to an import, by XMLHttpRequest since `fetch` does not say how much has gone. Resolves when the server has
 * all of it.
 * @throws Refused; Unreachable; the reason of the aborted signal
 */
export async function sendFile({ path, file, type, key, signal, onSent }: Upload): Promise<ImportReport> {
  const request = new XMLHttpRequest()
  request.open('POST', new URL(path, SERVER))
  const headers = {
    Accept: 'application/json',
    'Content-Type': type,
    ...(file.size > SMALL_BYTES && { Prefer: 'respond-async' }),
  }
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  if (key !== null) request.setRequestHeader('X-API-Key', key)
  request.upload.onprogress = ({ loaded, total }) => onSent(loaded / Math.max(1, total))
  const ended = new Promise<void>((resolve, reject) => {
    request.onload = () => resolve()
    request.onerror = () => reject(new Unreachable())
    request.onabort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', () => request.abort())
  request.send(file)
  await ended
  const { status, statusText, responseText } = request
  const response = await accepted(new Response(responseText, { status, statusText, headers: headersOf(request) }))
  return response.json()
}

function headersOf(request: XMLHttpRequest): Headers {
  const lines = request.getAllResponseHeaders().trim().split('\r\n')
  return new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  )
}
