/** Exports: a file that the server makes, counted while it comes, and handed to the browser to save. */
import { signal } from '@preact/signals'
import { download } from '../../public/dom.js'
import { sizeInWords } from '../../public/in-words.js'
import { type Api, inWords } from '../api/client'
import { reader, say } from '../words/say'

/** A file that can be exported. */
export interface Exported {
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** The name under which the browser saves it. */
  readonly file: string
}

/** `bytes` have come so far; the server makes the file while it sends it, so the total is unknown. */
interface Moving {
  readonly file: string
  readonly bytes: number
}

export function createExporter(api: Api) {
  const moving = signal<Moving | null>(null)
  /** How the last export ended, in a sentence; empty: there was none. */
  const words = signal('')
  let stop = new AbortController()

  async function fetchFile({ path, query, file }: Exported): Promise<Blob> {
    const response = await api.open({
      path,
      ...(query && { query }),
      headers: { Accept: '*/*' },
      signal: stop.signal,
    })
    const chunks: Uint8Array<ArrayBuffer>[] = []
    let bytes = 0
    const reader = response.body?.getReader()
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done || !value) break
      chunks.push(value)
      bytes += value.byteLength
      moving.value = { file, bytes }
    }
    return new Blob(chunks, { type: response.headers.get('Content-Type') ?? 'application/octet-stream' })
  }

  return {
    moving,
    words,

    /** Exports a file. One at a time: nothing happens while another is on its way. */
    async start(exported: Exported): Promise<void> {
      if (moving.peek()) return
      stop = new AbortController()
      moving.value = { file: exported.file, bytes: 0 }
      words.value = ''
      try {
        const content = await fetchFile(exported)
        download(content, exported.file)
        words.value = say`Exported: the browser saves “${exported.file}”, ${sizeInWords(content.size, reader)}.`
      } catch (error) {
        if (stop.signal.aborted) words.value = say`Cancelled: nothing was saved.`
        // What `fetch` says when the connection breaks in the middle of an answer.
        else if (error instanceof TypeError) words.value = say`The connection broke: nothing was saved.`
        else words.value = inWords(error)
      } finally {
        moving.value = null
      }
    },

    cancel: (): void => stop.abort(),
  }
}
