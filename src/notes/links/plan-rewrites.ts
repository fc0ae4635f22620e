import type { Session } from '../../db/database'
import { titleKey } from '../../lib/text'
import { type FormerName, listFormerNames } from './former-store'
import { NAME_STEP, pickFirstMatch, type ResolvedTarget, toLinkPath } from './names'
import { isSpellable, type LinkRewrite, spellById } from './rewrite-links'
import { matchTargets, type ResolvedLink } from './store'

/** The title of a note, and its folder. */
export interface NoteLocation {
  readonly id: string
  readonly title: string
  readonly folder: string | null
}

/** A rename of one note or of many. */
export interface Rename {
  /** Under which the former names are kept. */
  readonly id: string
  /** Whether titles are other ones; else only folders are. */
  readonly titled: boolean
}

/** By the key of the linking note: its targets that must be rewritten, as titles are compared. */
export type LinkRewrites = Map<number, Map<string, LinkRewrite>>

/** Links with the same target, from the same folder, that led to one note by the same kind of name: all get the same target. */
interface LinkSpellingGroup {
  readonly to: number
  readonly step: ResolvedTarget['step']
  readonly target: string
  readonly folder: string
}

/**
 * The new targets of links that led to renamed notes by their former names, so that they lead there again. Those that still
 * do, and those that lead elsewhere, are left out. All renamed notes must have their new names already.
 * @param places where the renamed notes are in the end, by their keys
 * @param folder as names are compared: where the linking note will be; null: where it is
 */
export async function planLinkRewrites(
  session: Session,
  { id, titled }: Rename,
  links: readonly ResolvedLink[],
  places: (keys: readonly number[]) => Promise<ReadonlyMap<number, NoteLocation>>,
  folder: string | null = null,
): Promise<LinkRewrites> {
  const { db, workspace } = session
  const keys = [...new Set(links.map(({ resolved }) => resolved))]
  const former = Map.groupBy(await listFormerNames(db, workspace.id, id, keys), ({ of }) => of)
  const groups = new Map<string, LinkSpellingGroup>()
  const grouped: { readonly link: ResolvedLink; readonly group: string }[] = []
  for (const link of links) {
    const step = findStep(former.get(link.resolved) ?? [], link)
    if (step === null) continue
    const group = { to: link.resolved, step, target: link.target_key, folder: folder ?? link.folder_key }
    const key = JSON.stringify(Object.values(group))
    groups.set(key, group)
    grouped.push({ link, group: key })
  }
  if (groups.size === 0) return new Map()
  const spellings = await planGroups(session, groups, titled, await places([...former.keys()]))
  const plan: LinkRewrites = new Map()
  for (const { link, group } of grouped) {
    const spelling = spellings.get(group)
    if (!spelling) continue
    const ofSource = plan.get(link.source) ?? new Map<string, LinkRewrite>()
    plan.set(link.source, ofSource.set(link.target_key, spelling))
  }
  return plan
}

async function planGroups(
  { db, workspace }: Session,
  groups: ReadonlyMap<string, LinkSpellingGroup>,
  titled: boolean,
  places: ReadonlyMap<number, NoteLocation>,
): Promise<Map<string, LinkRewrite>> {
  const hits = (await matchTargets(db, workspace.id, [...groups.values()])).map(pickFirstMatch)
  const led = [...groups].flatMap(([key, group], i) => {
    const place = places.get(group.to)
    if (!place || (hits[i]?.key === group.to && isUntouched(group.step, titled))) return []
    return [{ key, group, place, target: group.step === 'by_path' ? toLinkPath(place) : place.title }]
  })
  const wanted = led.map(({ group, target }) => ({ target: titleKey(target), folder: group.folder }))
  const matches = (await matchTargets(db, workspace.id, wanted)).map(pickFirstMatch)
  return new Map(
    led.map(({ key, group, place, target }, i) => {
      const safe = spellById(place.id, place.title)
      const leadsThere = matches[i]?.key === group.to && isSpellable(target)
      return [key, { wanted: leadsThere ? { target, display: null } : safe, safe }]
    }),
  )
}

/** Whether the rename leaves such a link alone: always one by id or alias, and one by title if only the folder changed. */
function isUntouched(step: ResolvedTarget['step'], titled: boolean): boolean {
  if (step === 'by_id' || step === 'by_alias') return true
  return step !== 'by_path' && !titled
}

/** By which of its former names a link led to its note, the first in the order of resolution; null if by none. */
function findStep(
  former: readonly FormerName[],
  { target_key: target, folder_key }: ResolvedLink,
): ResolvedTarget['step'] | null {
  const has = (step: number, key: string) => former.some((name) => name.step === step && name.key === key)
  if (has(NAME_STEP.id, target)) return 'by_id'
  if (!target.startsWith('/') && has(NAME_STEP.path, target)) return 'by_path'
  if (has(NAME_STEP.path, `${folder_key}/${target}`)) return 'in_folder'
  if (has(NAME_STEP.title, target)) return 'by_title'
  return has(NAME_STEP.alias, target) ? 'by_alias' : null
}
