import type { Session } from '../db/database'
import type { Kind } from './condition.sqlite'
import { type Find, type Finder, RANKED, type Shown } from './finder'
import { byPlace, placing } from './rank'
import { Snippets } from './snippet'
import { type Texts, tagText } from './texts'
import { findKeys, getCandidates } from './texts.sqlite'

/** What a thing is shown by, as it is stored. */
export interface Original extends Texts, Omit<Shown, 'snippets' | 'title'> {
  readonly key: number
  /** If it is shown under another title than it is found by. */
  readonly shownTitle?: string
}

interface TextFinderDeps extends Kind {
  /** Those of the things that there are and that are not in the trash. */
  originals(session: Session, keys: readonly number[]): Promise<readonly Original[]>
}

/** Finds things whose texts lie in `search_texts`: by where the words stand, then what changed last, then the newest id. */
export function createTextFinder({ originals, ...kind }: TextFinderDeps): Finder {
  return {
    async find({ db, workspace }, query, { from, limit }) {
      const keys = await findKeys(db, workspace.id, kind, query, RANKED + 1)
      const candidates = await getCandidates(db, workspace.id, kind, keys.slice(0, RANKED))
      const place = placing(query)
      const finds = candidates.map(({ key, id, updated_at, ...texts }): Find => {
        return { key, id, updated_at, ...place(texts) }
      })
      finds.sort((a, b) => byPlace(a, b) || (a.id < b.id ? 1 : -1))
      return { finds: finds.slice(from, from + limit), limited: keys.length > RANKED }
    },

    async show(session, query, finds) {
      const found = await originals(
        session,
        finds.map(({ key }) => key),
      )
      const snippets = new Snippets(query)
      return new Map(
        found.map(({ key, id, revision, updated_at, title, shownTitle = title, tags, body }) => {
          const texts = { title, tags: tagText(tags), body }
          return [key, { id, title: shownTitle, revision, updated_at, snippets: snippets.of(texts) }]
        }),
      )
    },
  }
}
