import type { Session } from '../../db/database'
import type { Word } from '../../search/plan'
import type { Query } from '../../search/query'
import type { Snippet } from '../../search/schema'
import { Snippets } from '../../search/snippet'
import type { SummaryRow } from '../store'
import { getBody, getSummaries } from './store'

/** The notes that are still there, in their order, with what was found in them. */
export async function withSnippets(
  { db, workspace }: Session,
  query: Query,
  words: readonly Word[],
  found: readonly { readonly key: number }[],
) {
  const rows = await getSummaries(
    db,
    workspace.id,
    found.map(({ key }) => key),
  )
  const snippets = new Snippets(query, words)
  const items: { row: SummaryRow; snippets: Snippet[] }[] = []
  for (const { key } of found) {
    const row = rows.get(key)
    if (!row) continue
    const body = snippets.wanted ? await getBody(db, workspace.id, key) : ''
    const tags = (JSON.parse(row.tags) as string[]).join('\n')
    items.push({ row, snippets: snippets.of({ title: row.title, tags, body }) })
  }
  return items
}
