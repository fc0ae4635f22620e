import type { Session } from '../db/database'
import type { Tagged } from '../http/conditional'
import type { HtmlRenderer } from './html/render-in-worker'
import { scanMarkdown } from './markdown/scan-markdown'
import type { Notes } from './service'

interface Deps {
  readonly notes: Pick<Notes, 'get'>
  /** See the links' resolveTargets. */
  readonly resolveTargets: (session: Session, id: string, targets: readonly string[]) => Promise<Map<string, string>>
  readonly renderer: HtmlRenderer
}

export type NoteRepresentations = ReturnType<typeof createNoteRepresentations>

/** The forms of a note beside JSON, by media type. Each has an ETag of its own. Both throw not_found. */
export function createNoteRepresentations({ notes, resolveTargets, renderer }: Deps) {
  return {
    /** The body, byte for byte. */
    async 'text/markdown'(session: Session, id: string): Promise<Tagged<string>> {
      const { resource, etag } = await notes.get(session, id)
      return { resource: resource.body, etag: toFormEtag(etag, 'md') }
    },

    /** The body as a fragment of HTML in which nothing can act. */
    async 'text/html'(session: Session, id: string): Promise<Tagged<string>> {
      const { resource, etag } = await notes.get(session, id)
      // Most notes have no links, and looking for them takes time.
      const links = resource.body.includes('[[') ? scanMarkdown(resource.body).links : []
      const ids = await resolveTargets(
        session,
        id,
        links.map(({ target }) => target),
      )
      // A link can lead elsewhere while the counts of links, and so the note's own tag, stay.
      const tag = toFormEtag(etag, `html.${Bun.hash(JSON.stringify([...ids])).toString(36)}`)
      const owner = session.workspace.id
      // A note that was erased may come again with the same id and revision, and another body.
      const keepAs = `${owner} ${id} ${tag} ${Bun.hash(resource.body)}`
      return { resource: await renderer.render(resource.body, ids, owner, keepAs), etag: tag }
    },
  }
}

function toFormEtag(etag: string, form: string): string {
  return `${etag.slice(0, -1)}.${form}"`
}
