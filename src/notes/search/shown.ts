import type { Session } from '../../db/database'
import type { Query } from '../../search/query'
import type { Snippet } from '../../search/schema'
import { Snippets } from '../../search/snippet'
import type { SummaryRow } from '../store'
import { getBody, getSummaries } from './find.sqlite'
import { tagText } from './follower'

/** The notes that are still there, in their order, with what was found in them. */
export async function withSnippets(
  { db, workspace }: Session,
  query: Query,
  found: readonly { readonly key: number }[],
) {
  const rows = await getSummaries(
    db,
    workspace.id,
    found.map(({ key }) => key),
  )
  const snippets = new Snippets(query)
  const items: { row: SummaryRow; snippets: Snippet[] }[] = []
  for (const { key } of found) {
    const row = rows.get(key)
    if (!row) continue
    const body = snippets.wanted ? await getBody(db, workspace.id, key) : ''
    items.push({ row, snippets: snippets.of({ title: row.title, tags: tagText(row.tags), body }) })
  }
  return items
}
