import type { Session } from '../db/database'
import { getLineBreaks } from '../db/settings-store'
import type { Tagged } from '../http/responses'
import { isFileTarget } from '../lib/file-target'
import type { EmbeddedNote } from './html/render'
import type { HtmlRenderer } from './html/render-in-worker'
import { listFileTargets, type ShownFile, showFiles } from './html/shown-files'
import { MAX_EMBED_DEPTH, MAX_EMBED_UNITS } from './markdown/extensions'
import { scanMarkdown } from './markdown/scan-markdown'
import { toNote } from './note'
import { noteReader } from './service'
import { getNote, type NoteRow } from './store'

interface Deps {
  readonly resolveBody: (session: Session, note: NoteRow) => Promise<Map<string, string>>
  readonly renderer: HtmlRenderer
  /** Finds the attachments that targets in a note of a folder lead to, with their addresses in HTML. */
  readonly showAttachments: (
    session: Session,
    folder: string | null,
    targets: readonly string[],
    inline: boolean,
  ) => Promise<ReadonlyMap<string, ShownFile>>
}

export interface HtmlOptions {
  readonly remote?: boolean
  readonly inline?: boolean
}

/** Notes that are read to be shown in one. */
const MAX_EMBEDDED = 50

export type NoteRepresentations = ReturnType<typeof createNoteRepresentations>

/** Makes the representations of a note besides JSON, by media type. Each has a separate ETag. Both throw not_found. */
export function createNoteRepresentations({ resolveBody, renderer, showAttachments }: Deps) {
  /** Reads the notes that a note shows in itself, with those that they show, by their ids. */
  async function readEmbedded(session: Session, note: NoteRow, ids: ReadonlyMap<string, string>) {
    const found = new Map<string, EmbeddedNote>()
    let units = 0
    let around: EmbeddedNote[] = [{ body: note.body, targets: ids }]
    for (let depth = 0; depth < MAX_EMBED_DEPTH && around.length > 0; depth += 1) {
      const wanted = new Set(around.flatMap(({ body, targets }) => listEmbedded(body).map((each) => targets.get(each))))
      around = []
      for (const id of wanted) {
        if (id === undefined || id === note.id || found.has(id) || found.size >= MAX_EMBEDDED) continue
        const row = await getNote(session, id)
        units += row?.body.length ?? 0
        if (!row || units > MAX_EMBED_UNITS) continue
        const embedded = { body: row.body, targets: await resolveBody(session, row) }
        found.set(id, embedded)
        around.push(embedded)
      }
    }
    return found
  }

  return {
    /** Returns the body, byte for byte. */
    async 'text/markdown'(session: Session, id: string): Promise<Tagged<string>> {
      const { resource, etag } = await noteReader.get(session, id)
      return { resource: resource.body, etag: toFormEtag(etag, 'md') }
    },

    /** Returns the body as a sanitized HTML fragment without active content. */
    async 'text/html'(
      session: Session,
      id: string,
      { remote = false, inline = false }: HtmlOptions = {},
    ): Promise<Tagged<string>> {
      const note = await noteReader.load(session, id)
      const { etag } = toNote(note)
      const ids = await resolveBody(session, note)
      // A note without a title, of a picture alone, is called like the picture.
      const named = [...ids.keys()].filter(isFileTarget)
      if (named.length > 0)
        for (const target of (await showAttachments(session, note.folder, named, false)).keys()) ids.delete(target)
      const owner = session.workspace.id
      // A note that was erased may be created again with the same id and revision, and another body.
      const notes = await readEmbedded(session, note, ids)
      const lineBreaks = await getLineBreaks(session)
      const embedded = [...notes].map(([each, { body, targets }]) => [each, body, [...targets]])
      const links = Bun.hash(JSON.stringify([[...ids], embedded]))
      const parts = [etag, links, Bun.hash(note.body), remote, lineBreaks]
      const shown = { files: true, remote, lineBreaks, notes }
      const cacheKey = [owner, id, ...parts].join(' ')
      const rendered = await renderer.render(note.body, ids, owner, cacheKey, shown, session.deadline?.signal)
      const files = await showAttachments(session, note.folder, listFileTargets(rendered), inline)
      const html = showFiles(rendered, files)
      // A link can lead elsewhere, and a picture be another one, while the note and its ETag stay the same.
      return { resource: html, etag: toFormEtag(etag, `html.${Bun.hash(html).toString(36)}`) }
    },
  }
}

/** Lists the targets of links that show another note. */
function listEmbedded(body: string): string[] {
  if (!body.includes('![[')) return []
  const embeds = scanMarkdown(body).links.filter(({ embed, target }) => embed && target !== '')
  return [...new Set(embeds.map(({ target }) => target))]
}

/** Returns the Content-Security-Policy of HTML: its own pictures, sounds and films, and of other hosts if they are wanted. */
export function htmlPolicy({ remote }: HtmlOptions): string {
  return `default-src 'none'; img-src 'self' data:${remote ? ' https: http:' : ''}; media-src 'self'; style-src 'self'`
}

function toFormEtag(etag: string, form: string): string {
  return `${etag.slice(0, -1)}.${form}"`
}
