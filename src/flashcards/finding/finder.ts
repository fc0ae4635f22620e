import type { Session } from '../../db/database'
import { cutCodePoints } from '../../markdown/code-points'
import { createTextFinder } from '../../search/text-finder'
import type { Texts } from '../../search/texts'
import { putTexts } from '../../search/texts.sqlite'
import { type FactRow, factsByKeys } from '../facts/store'

/** In code points: as long as a snippet. */
const TITLE_LENGTH = 240

/** Facts for the search over everything. */
export function createFactFinder() {
  return createTextFinder({
    type: 'fact',
    table: 'study_facts',
    trashedAt: 'trashed_at',
    nesting: '::',
    originals: async ({ db, workspace }, keys) =>
      (await factsByKeys(db, workspace.id, keys))
        .filter(({ trashed_at }) => trashed_at === null)
        .map(({ key, id, revision, updated_at, ...fact }) => {
          const texts = foundBy(fact)
          const shownTitle = cutCodePoints(texts.title.replace(/[\r\n\t]/g, ' '), TITLE_LENGTH)
          return { key, id, revision, updated_at, ...texts, shownTitle }
        }),
  })
}

/** Keeps what facts are found by. */
export async function putFound(
  { db, workspace }: Session,
  facts: readonly (Sought & { readonly key: number })[],
): Promise<void> {
  const things = facts.map((fact) => ({ key: fact.key, ...foundBy(fact) }))
  await putTexts(db, workspace.id, 'fact', things)
}

/** Whether two states of a fact are found by the same. */
export function isFoundAlike(one: Sought, other: Sought): boolean {
  return SOUGHT.every((member) => one[member] === other[member])
}

const SOUGHT = ['front', 'back', 'text', 'extra', 'hint', 'accepted', 'tags'] as const

type Sought = Pick<FactRow, (typeof SOUGHT)[number]>

/** The side that asks, or the text with its gaps, is the title; all other texts are the body. */
function foundBy({ front, back, text, extra, hint, accepted, tags }: Sought): Texts {
  const body = [back, extra, hint, ...(JSON.parse(accepted) as string[])].filter((one) => one !== null)
  return { title: front ?? text ?? '', tags: JSON.parse(tags), body: body.join('\n') }
}
