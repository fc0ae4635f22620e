import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { NoteParams } from '../schema'
import {
  Backlink,
  BacklinkPage,
  ListBacklinksQuery,
  ListLinksQuery,
  ListUnresolvedQuery,
  NoteLink,
  NoteLinkPage,
  UnresolvedLink,
  UnresolvedLinkPage,
} from './schema'
import type { Links } from './service'

nameSchemas({ Backlink, BacklinkPage, NoteLink, NoteLinkPage, UnresolvedLink, UnresolvedLinkPage })

export function linksRoutes({ links, api }: { links: Links; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Links'] })
    .use(api)
    .get('/unresolved', ({ session, query }) => links.listUnresolved(session, query), {
      query: ListUnresolvedQuery,
      response: { 200: UnresolvedLinkPage },
      detail: {
        operationId: 'listUnresolvedLinks',
        ...refuses('invalid_cursor'),
        summary: 'List unresolved links',
        description:
          'Targets of links and pictures that match no note and no attachment, those with most links first. Creating a note with that title, or adding a file of that name, resolves them. `kind` keeps missing pictures and missing notes apart.',
      },
    })
    .get('/:id/links', ({ session, params, query }) => links.listLinks(session, params.id, query), {
      params: NoteParams,
      query: ListLinksQuery,
      response: { 200: NoteLinkPage },
      detail: {
        operationId: 'listNoteLinks',
        ...refuses('invalid_cursor'),
        summary: "List a note's links",
        description:
          'Lists its links to notes in the order of the body, with the notes that they point to: wiki links, and Markdown links to the path of a Markdown file, such as `[x](../Money/Budget%202.md)`. A target is looked up as an id, a full path, a name in the same folder, a path below that folder, a name, a title, then an alias, where the name is the file name if there is one, else the title; `.md` at its end may be left out. A target that begins with `/`, `./` or `../` is a full path. Of several matches, the note in the shortest folder path, then the oldest, is taken, and the link is `ambiguous`. A note in the trash has no links.',
      },
    })
    .get('/:id/backlinks', ({ session, params, query }) => links.listBacklinks(session, params.id, query), {
      params: NoteParams,
      query: ListBacklinksQuery,
      response: { 200: BacklinkPage },
      detail: {
        operationId: 'listNoteBacklinks',
        ...refuses('invalid_cursor'),
        summary: "List a note's backlinks",
        description:
          'Lists the notes that link to it, in the order of their ids, each with the line around its first link. `unlinked=true` lists instead the notes that mention its title in plain text; such a page may have fewer items than `limit` and still have a `next_cursor`.',
      },
    })
}
