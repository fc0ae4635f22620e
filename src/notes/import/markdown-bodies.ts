import type { Context } from '../../db/database'
import { invalid } from '../../http/api-error'
import type { TextBody } from '../../http/request'
import { writeInstant } from '../../http/values'
import type { MarkdownText } from '../note'
import type { CreateNote } from '../schema'

/** Warnings of an import that say that something was cut or replaced, which a request refuses instead. */
const REFUSED = new Set(['title_changed', 'tag_changed', 'folder_changed'])

export function createMarkdownBodies({ now }: Pick<Context, 'now'>) {
  /** The Markdown that a request was read from. */
  const texts = new WeakMap<Request, MarkdownText>()

  async function read(text: string, request: Request): Promise<CreateNote> {
    // The YAML library is loaded at the first use, since loading it takes longer than starting most other parts.
    const { readMarkdownFile } = await import('./markdown-file')
    const { stated, body, block, front_matter, warnings } = readMarkdownFile(text)
    const fault = warnings.find(({ code }) => REFUSED.has(code))
    if (fault) throw invalid('', fault.code, fault.detail)
    texts.set(request, { text, block, front_matter })
    const { id, title, folder, tags, pinned, archived, source, source_url, properties, created_at, updated_at } = stated
    const archivedAt = archived === 'now' ? now() : archived === 'not' ? null : archived
    const known = {
      ...{ id, title: title ?? undefined, folder, tags: tags && [...tags], pinned: pinned ?? undefined },
      archived_at: typeof archivedAt === 'number' ? writeInstant(archivedAt) : archivedAt,
      source: source || source_url ? { ...source, ...(source_url ? { url: source_url } : {}) } : undefined,
      created_at: created_at == null ? undefined : writeInstant(created_at),
      updated_at: updated_at == null ? undefined : writeInstant(updated_at),
      properties: Object.keys(properties).length === 0 ? undefined : properties,
    }
    return { ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as object), body }
  }

  const textBodies: Readonly<Record<string, TextBody>> = {
    'POST /api/notes': { mediaType: 'text/markdown', read },
    'PATCH /api/notes/:id': {
      mediaType: 'text/markdown',
      async read(text, request) {
        const { id: _, created_at: __, updated_at: ___, ...patch } = await read(text, request)
        return patch
      },
    },
  }
  return { textBodies, texts }
}
