import { type Tagged, writeEtag } from '../../http/conditional'
import { writeInstant } from '../../http/values'
import type { Fact } from '../schema'
import type { FactMembers } from './fact'
import type { FactRow } from './store'

/** A fact as its row has it, as it is checked, and as it is shown. */

type Columns = Omit<FactMembers, 'accepted' | 'tags'> & Pick<FactRow, 'accepted' | 'tags'>

export function factColumns(members: FactMembers): Columns {
  return { ...members, accepted: JSON.stringify(members.accepted), tags: JSON.stringify(members.tags) }
}

export function factMembers(row: FactRow): FactMembers {
  const { type, front, back, text, extra, hint, source_note_id, source_url, external_id, external_modified_at } = row
  return {
    type,
    front,
    back,
    text,
    extra,
    hint,
    accepted: JSON.parse(row.accepted),
    tags: JSON.parse(row.tags),
    source_note_id,
    source_url,
    external_id,
    external_modified_at,
  }
}

export function toFact(row: FactRow): Tagged<Fact> {
  const { accepted, tags, external_modified_at, ...members } = factMembers(row)
  const at = (instant: number | null) => (instant === null ? null : writeInstant(instant))
  return {
    resource: {
      id: row.id,
      revision: row.revision,
      created_at: writeInstant(row.created_at),
      updated_at: writeInstant(row.updated_at),
      trashed_at: at(row.trashed_at),
      deck_id: row.deck_id,
      ...members,
      accepted: [...accepted],
      tags: [...tags],
      external_modified_at: at(external_modified_at),
    },
    etag: writeEtag(row.revision),
  }
}
