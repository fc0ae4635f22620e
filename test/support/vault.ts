import { readDirectory, readEntryBytes, toZipSource } from '../../src/lib/zip/read'
import { ZIP_LIMITS } from '../../src/notes/import/zip-file'
import type { As, makeWorld } from './world'
import { zipOfTexts } from './zip'

/** The text of each file of a folder, by its path. */
export type Vault = Readonly<Record<string, string>>

/** Files of a vault: pictures in folders, with a space in a name, and a PDF. */
export const FILES: Vault = {
  'img/by name.png': 'the first picture \u0000\u{1f5fa}',
  'Work/img/x y.png': 'the second picture',
  'Work/plan.pdf': '%PDF-1.7 the plan',
  'root.png': 'the third picture',
}

/** Moves folders of Markdown files into the workspace of a caller, and out of it, over a real socket. */
export function mover(world: Awaited<ReturnType<typeof makeWorld>>, base: string, me: As & { readonly key: string }) {
  const headers = { 'X-API-Key': me.key }
  const call = (method: string, path: string, body?: unknown) => world.call(me, method, `/api/notes${path}`, body)
  return {
    call,
    /** The report of the import. */
    async moveIn(vault: Vault) {
      const type = { ...headers, 'Content-Type': 'application/zip' }
      const response = await fetch(`${base}api/notes/import`, {
        method: 'POST',
        headers: type,
        body: zipOfTexts(vault),
      })
      // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
      return (await response.json()) as any
    },
    /** The files of an export. @param query filters, such as `?folder=Work` */
    async moveOut(query = ''): Promise<Vault> {
      const response = await fetch(`${base}api/notes/export${query}`, { headers })
      const source = toZipSource(new Uint8Array(await response.arrayBuffer()))
      const files = readDirectory(source, ZIP_LIMITS).map((entry): [string, string] => [
        entry.name,
        Buffer.from(readEntryBytes(source, entry)).toString(),
      ])
      return Object.fromEntries(files)
    },
    /** The note at a path. */
    at: async (path: string) =>
      (await call('GET', `/by-path/${path.split('/').map(encodeURIComponent).join('/')}`)).body,
  }
}

/** The text of a file without its front matter. */
export function bodyOf(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---\n/, '')
}
