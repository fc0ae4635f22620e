import type { Session } from '../db/database'
import type { Tagged } from '../http/conditional'
import type { HtmlRenderer } from './html-renderer'
import { scanMarkdown } from './markdown-scan'
import type { Notes } from './service'

interface Deps {
  readonly notes: Pick<Notes, 'get'>
  /** See the links' resolveTargets. */
  readonly resolveTargets: (session: Session, id: string, targets: readonly string[]) => Promise<Map<string, string>>
  readonly renderer: HtmlRenderer
}

export type NoteForms = ReturnType<typeof createNoteForms>

/** The forms of a note beside JSON, by media type. Each has an ETag of its own. Both throw not_found. */
export function createNoteForms({ notes, resolveTargets, renderer }: Deps) {
  return {
    /** The body, byte for byte. */
    async 'text/markdown'(session: Session, id: string): Promise<Tagged<string>> {
      const { resource, etag } = await notes.get(session, id)
      return { resource: resource.body, etag: named(etag, 'md') }
    },

    /** The body as a fragment of HTML in which nothing can act. */
    async 'text/html'(session: Session, id: string): Promise<Tagged<string>> {
      const { resource, etag } = await notes.get(session, id)
      const targets = scanMarkdown(resource.body).links.map(({ target }) => target)
      const ids = await resolveTargets(session, id, targets)
      const html = await renderer.render(resource.body, ids, session.workspace.id)
      // A link can lead elsewhere while the counts of links, and so the note's own tag, stay.
      return { resource: html, etag: named(etag, `html.${Bun.hash(JSON.stringify([...ids])).toString(36)}`) }
    },
  }
}

function named(etag: string, form: string): string {
  return `${etag.slice(0, -1)}.${form}"`
}
