import type { Find, Finder, Shown } from '../../search/finder'
import { fold } from '../../search/fold'
import { placing } from '../../search/rank'
import { readFilter } from '../filters'
import { bestFrom } from './best'
import { getSummaries } from './find.sqlite'
import { tagText } from './follower'
import { withSnippets } from './shown'

/** Notes for the search over everything, in the order that their own search has. */
export function createNoteFinder(): Finder {
  const everyNote = readFilter({}, 'any')
  return {
    async find(session, query, page) {
      const { db, workspace } = session
      const { found, limited } = await bestFrom(session, query, everyNote, page)
      const keys = found.map(({ key }) => key)
      const rows = await getSummaries(db, workspace.id, keys)
      const place = placing(query)
      const finds = found.flatMap(({ key, id, updated_at }): Find[] => {
        const row = rows.get(key)
        return row ? [{ key, id, updated_at, ...place({ title: fold(row.title), tags: fold(tagText(row.tags)) }) }] : []
      })
      return { finds, limited }
    },

    async show(session, query, finds) {
      const items = await withSnippets(session, query, finds)
      return new Map(
        items.map(({ row: { key, id, title, revision, updated_at }, snippets }): [number, Shown] => {
          return [key, { id, title, revision, updated_at, snippets }]
        }),
      )
    },
  }
}
