import type { Session } from '../db/database'
import type { Tagged } from '../http/conditional'
import type { HtmlRenderer } from './html/render-in-worker'
import type { Notes } from './service'

interface Deps {
  readonly notes: Pick<Notes, 'get'>
  /** See Links.resolveBody. */
  readonly resolveBody: (session: Session, id: string) => Promise<Map<string, string>>
  readonly renderer: HtmlRenderer
}

export type NoteRepresentations = ReturnType<typeof createNoteRepresentations>

/** Makes the representations of a note besides JSON, by media type. Each has a separate ETag. Both throw not_found. */
export function createNoteRepresentations({ notes, resolveBody, renderer }: Deps) {
  return {
    /** Returns the body, byte for byte. */
    async 'text/markdown'(session: Session, id: string): Promise<Tagged<string>> {
      const { resource, etag } = await notes.get(session, id)
      return { resource: resource.body, etag: toFormEtag(etag, 'md') }
    },

    /** Returns the body as a sanitized HTML fragment without active content. */
    async 'text/html'(session: Session, id: string): Promise<Tagged<string>> {
      const { resource, etag } = await notes.get(session, id)
      const ids = await resolveBody(session, id)
      // A link can point to another note while the link counts, and with them the note's ETag, stay the same.
      const htmlEtag = toFormEtag(etag, `html.${Bun.hash(JSON.stringify([...ids])).toString(36)}`)
      const owner = session.workspace.id
      // A note that was erased may be created again with the same id and revision, and another body.
      const cacheKey = `${owner} ${id} ${htmlEtag} ${Bun.hash(resource.body)}`
      return { resource: await renderer.render(resource.body, ids, owner, cacheKey), etag: htmlEtag }
    },
  }
}

function toFormEtag(etag: string, form: string): string {
  return `${etag.slice(0, -1)}.${form}"`
}
