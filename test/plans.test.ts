import { afterAll, expect } from 'bun:test'
import { join } from 'node:path'
import type { Queries, Session, Value, WorkspaceId } from '../src/db/database'
import { SqliteDatabase } from '../src/db/sqlite'
import { createAgendas } from '../src/tasks/agenda/agenda'
import { SORT_NAMES } from '../src/tasks/list-schema'
import { createReminders } from '../src/tasks/reminders'
import { createTaskStatistics } from '../src/tasks/stats'
import { columnsOf, useDatabase } from './support/database'
import { onSqlite } from './support/full'
import { explain, plansOf, type Step } from './support/plans'
import { type As, MANY_CALLERS, makeWorld, type Shown, stranger } from './support/world'

/**
 * A tour of every list, with every filter and sort, of a workspace where all is rare and of one where all is frequent.
 * SQLite must neither read a table from end to end, nor sort more than a few rows: of 100,000 either takes too long.
 */

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)
const [few, many] = [stranger(), stranger()]

/** Each statement that was asked, with its parameters, and what asked it first. */
const asked = new Map<string, { readonly params: readonly Value[]; readonly by: string; readonly isOfMany: boolean }>()
let [by, isOfMany] = ['', true]
for (const how of ['all', 'get'] as const) {
  const ask = world.db[how].bind(world.db)
  world.db[how] = <Row>(sql: string, params: readonly Value[] = []) => {
    if (!asked.has(sql)) asked.set(sql, { params, by, isOfMany })
    return ask<Row>(sql, params) as never
  }
}

async function make(me: As, path: string, body: object): Promise<Shown> {
  const { status, body: made } = await world.call(me, 'POST', path, body)
  if (status >= 300) throw new Error(`${path}: ${JSON.stringify(made)}`)
  return made
}

const SEEDS = Array.from({ length: 20 }, (_, i) => i)

/** Twenty of each kind. Returns what the lists are asked for. */
async function seed(me: As) {
  const batch = (path: string, toData: (i: number) => object) =>
    make(me, path, { ops: SEEDS.map((i) => ({ op: 'create', data: toData(i) })) })
  const noted = await batch('/api/notes/batch', (i) => ({
    ...{ title: `N${i}`, folder: 'A/B', tags: ['t'], body: '[[N0]] [[Nowhere]]', pinned: i > 0 },
    ...{ source: { system: 'm', id: `${i}` }, properties: { rank: i } },
  }))
  const note = noted.items[0].id
  const project = (await make(me, '/api/tasks/projects', { name: 'P' })).id
  const section = (await make(me, '/api/tasks/sections', { name: 'S', project_id: project })).id
  const parent = (await make(me, '/api/tasks', { title: 'Above' })).id
  await batch('/api/tasks/batch', (i) => ({
    ...{ title: `T${i}`, labels: ['l'], priority: 1, due: { date: '2026-03-02' } },
    ...(i % 2 ? { project_id: project, section_id: section } : { parent_id: parent }),
  }))
  const deck = (await make(me, '/api/flashcards/decks', { name: 'D' })).id
  const below = (await make(me, '/api/flashcards/decks', { name: 'E', parent_id: deck })).id
  const items = SEEDS.map((i) => ({
    ...{ deck_id: i % 2 ? deck : below, type: 'basic', front: `F${i}`, back: 'b', tags: ['t'] },
    ...{ note_ids: [note], source: { system: 'm', id: `${i}` } },
  }))
  await make(me, '/api/flashcards/facts/batch', { items })
  const [card, other] = (await world.call(me, 'GET', '/api/flashcards/cards')).body.items
  for (const { id } of [card, other]) await make(me, `/api/flashcards/cards/${id}/reviews`, { rating: 3 })
  await world.call(me, 'DELETE', `/api/tasks/${(await make(me, '/api/tasks', { title: 'Gone' })).id}`)
  await make(me, `/api/tasks/${parent}/complete`, {})
  return { note, project, section, parent, deck, below, card: card.id }
}

const at = { few: await seed(few), many: await seed(many) }

const ID = (column: string) => `substr(${column}, 1, 20) || printf('%03x', n) || substr(${column}, 24)`
const KEY = (column: string) => `${column} + n * 100000`
const own = { key: KEY('key'), id: ID('id') }
const COPIES: [table: string, columns: Readonly<Record<string, string>>][] = [
  ['notes', { ...own, title_key: "title_key || ' ' || n", source_id: "source_id || '-' || n" }],
  ['note_tags', { key: KEY('key') }],
  ['note_properties', { key: KEY('key') }],
  ['tasks', { ...own, title_sort: "title_sort || ' ' || n" }],
  ['task_label_uses', { task: KEY('task') }],
  ['study_facts', { ...own, source_id: "source_id || '-' || n" }],
  ['study_fact_tags', { fact: KEY('fact') }],
  ['study_fact_note_uses', { fact: KEY('fact') }],
  ['study_cards', { ...own, fact: KEY('fact') }],
  ['study_reviews', { ...own, card: KEY('card') }],
]

/** Copies the rows of a workspace, beside all that nothing here lists. */
async function multiply(db: Queries): Promise<void> {
  const [{ workspace = '' } = {}] = await db.all<{ workspace: string }>('SELECT workspace FROM tasks WHERE id = $1', [
    at.many.parent,
  ])
  for (const [table, changed] of COPIES) {
    const columns = await columnsOf(db, table)
    await db.run(
      `WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 320)
       INSERT INTO ${table} (${columns.join()}) SELECT ${columns.map((name) => changed[name] ?? name).join()}
       FROM ${table} CROSS JOIN c WHERE workspace = $1`,
      [workspace],
    )
  }
}

const STUDY = `deck_id={deck} deck_id={below} tag=t tag=none type=basic state=new state=review due_before=2027-01-01 leech=true
  suspended=true suspended=false flag=3 flag=0 note_id={note} source_system=m source_system=m&source_id=1 trashed=true
  trashed=true&tag=t tag=t&state=new&deck_id={deck} ids={card} q=lapses>3 q=is:due q=is:new q=is:leech q=is:suspended q=-tag:t
  q=tag:t+OR+flag:3 q=deck:D q=rated:7 q=due<5 q=added:1`
const [FROM, TO] = ['2026-03-01T00:00:00Z', '2026-03-09T00:00:00Z']

/** Of each list its path, the queries, of which none is one, and after a bar the sorts that go with each of them. */
const LISTS = `
/api/notes folder=A folder=A/B&folder_only=true folder=none tag=t tag=none tag=t&folder=A pinned=true pinned=false archived=true
  archived=any trashed=true trashed=true&tag=t title=N1 ids={note} created_from=${FROM} created_to=${TO} updated_from=${FROM}
  updated_to=${TO} source_system=m source_system=none | updated -created title -folder
/api/notes tag=t folder=A | -updated created -title folder -property.rank
/api/notes/unresolved kind=note kind=attachment kind=heading kind=block
/api/notes/{note}/links
/api/notes/{note}/backlinks unlinked=true
/api/notes/{note}/revisions
/api/notes/tags
/api/notes/folders
/api/notes/attachments folder=A name=x.png
/api/tasks trashed=true archived=true archived=any ids={parent} parent_id={parent} project_id={project} section_id={section}
  label=l label=none status=done status=any q=above include=subtasks filter=today filter=tomorrow filter=overdue
  filter=undated filter=recurring filter=blocked filter=blocking filter=subtask filter=in_progress filter=done filter=cancelled
  filter=inbox filter=p1 filter=!p2 filter=%23P filter=/S filter=@l filter=!@l filter=has:note filter=has:due filter=due<%2B7d
  filter=start=today filter=created>-1d filter=updated=today filter=completed>=-7d filter=duration>30
  filter=(today+|+overdue)+%26+%23P filter=@l+|+blocked filter=done+|+open | -updated -priority,due,title
/api/tasks label=l filter=done+or+open | ${SORT_NAMES.flatMap((name) => [name, `-${name}`]).join(' ')}
/api/tasks/{parent}/completions
/api/tasks/completed from=${FROM} to=${TO} project_id={project}
/api/tasks/agenda archived=true from=2026-03-01&to=2026-03-09
/api/tasks/reminders archived=true from=${FROM} to=${TO}
/api/tasks/projects trashed=true archived=true archived=false
/api/tasks/sections trashed=true project_id={project}
/api/tasks/labels trashed=true
/api/tasks/filters trashed=true
/api/tasks/feeds
/api/flashcards/decks trashed=true parent_id={deck} counts=true
/api/flashcards/facts ${STUDY}
/api/flashcards/cards ${STUDY}
/api/flashcards/cards tag=t deck_id={below} q=-tag:t trashed=true | -due lapses
/api/flashcards/cards/{card}/reviews
/api/flashcards/reviews card_id={card} deck_id={deck} deck_id={below} from=${FROM} to=${TO} kind=review kind=import kind=learning
  undone=true undone=false deck_id={deck}&kind=import
/api/flashcards/media
/api/flashcards/note-types
/api/flashcards/queue deck_id={deck}
/api/changes since=0&types=note since=0&include=resource
/api/imports`

async function tour(me: As, place: (typeof at)['many']): Promise<void> {
  for (const list of LISTS.trim().split('\n/')) {
    const [lead = '', sorts = ''] = list.split(' | ')
    const [path = '', ...queries] = lead.split(/\s+/)
    for (const query of path === 'api/changes' ? queries : ['', ...queries])
      for (const sort of sorts.split(' ')) {
        by = `/${path.replace(/^\//, '')}?${query}${sort && `&sort=${sort}`}`
        const address = by.replace(/\{(\w+)\}/g, (_, name: keyof typeof place) => place[name])
        const first = await world.call(me, 'GET', address)
        expect([by, first.status, first.body.detail]).toEqual([by, 200, undefined])
        const { next_cursor: cursor } = first.body
        if (cursor && path !== 'api/changes')
          await world.call(me, 'GET', `${address}&cursor=${encodeURIComponent(cursor)}`)
      }
  }
}

/** Names of subqueries, each of which is a page, or what a statement was given. */
const SUBQUERIES = /^SCAN (c|down|few|found|given|k|linking|listed|own|page|u|unread|up|wanted)\b|VIRTUAL TABLE/

/**
 * What may be sorted, by the first step of a plan: rows that are found by their keys, ids or title; one step of many; and
 * what has few of a kind, or is counted as it is sorted.
 */
const SORTED = [
  /\((rowid|fact|card|id|source)=\?|[ (]id=\?|title_key=\?/,
  /SEARCH study_cards USING INDEX (study_cards_in_trash \(workspace=\?|\w+ \((workspace|deck)=\? AND id[<>]\?)/,
  /(notes|tasks)_in_trash \(workspace=\? AND (\(deleted_at,id\)|deleted_at)/,
  /SEARCH (changes|note_names|note_former_names) USING/,
  /note_links_(unresolved|by_note)|task_feeds/,
]
/** Sorts few that it finds by an index, once it has counted them: all are few, or it looks for what none has. */
const COUNTED = { few: /^\/api\/(notes|flashcards\/cards)\?/, many: /^\/api\/notes\?.*=none/ }

onSqlite('no list reads a table from end to end, or sorts more than a few rows', async () => {
  await useDatabase(world.folder, multiply)
  await tour(many, at.many)
  isOfMany = false
  await tour(few, at.few)
  // A connection of its own: in Bun, one that has explained a statement sees no later writes.
  const explaining = new SqliteDatabase(join(world.folder, 'satchel.db'))
  const wrong: string[][] = []
  for (const [sql, { params, by, isOfMany }] of asked) {
    const plan = (await explaining.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)).map(
      ({ detail }) => detail,
    )
    const first = plan.find((step) => step.startsWith('SEARCH')) ?? ''
    const isScan = plan.some(
      (step) => step.includes('AUTOMATIC') || (step.startsWith('SCAN') && !SUBQUERIES.test(step)),
    )
    // The pages of open and of closed tasks are sorted together.
    const sorts =
      plan.filter((step) => step.endsWith('FOR ORDER BY')).length - plan.filter((step) => step === 'SCAN listed').length
    const isSort = sorts > 0 && !SORTED.some((few) => few.test(first))
    if (by !== '' && (isScan || (isSort && !COUNTED[isOfMany ? 'many' : 'few'].test(by))))
      wrong.push([by, sql, ...plan])
  }
  await explaining.close()
  expect(wrong).toEqual([])
})

const now = () => world.clock.now
const NOBODY = { id: 'f'.repeat(32) as WorkspaceId, kind: 'key' } as const
const asks = (work: (session: Session) => Promise<unknown>) => (noted: Queries) =>
  work({ db: noted, workspace: NOBODY })
const getAgenda = asks((session) => createAgendas({ now }).getAgenda(session, { time_zone: 'UTC' }))

onSqlite('an agenda finds dates, rules and titles each by an index, in order', async () => {
  const plans = await plansOf(world.db, getAgenda)
  const indexes = plans.map((plan) => /SEARCH tasks USING (INDEX|INTEGER PRIMARY KEY) ?(\w*)/.exec(plan)?.[0])
  expect([...new Set(indexes)]).toEqual([
    'SEARCH tasks USING INDEX tasks_repeating',
    'SEARCH tasks USING INDEX tasks_by_due',
    'SEARCH tasks USING INDEX tasks_by_start',
  ])
})

/** Whether a statement that walks an index reads the rows as well: a column of the table, not of the index. */
function readsRows(steps: readonly Step[]): boolean {
  const table = steps.find(({ opcode }) => opcode === 'DeferredSeek')?.p3
  return steps.some(({ opcode, p1 }) => opcode === 'Column' && p1 === table)
}

onSqlite('an agenda reads the rows of what is overdue, which is shown whole, and no other', async () => {
  const [plans, programs] = [await plansOf(world.db, getAgenda), await explain(world.db, getAgenda, 'EXPLAIN')]
  const isOverdue = (plan: string) => /tasks_by_due \(workspace=\? AND closed=\? AND due_key<\?\)/.test(plan)
  expect(programs.map(readsRows)).toEqual(plans.map(isOverdue))
  expect(plans.filter(isOverdue)).toHaveLength(1)
})

onSqlite('statistics count by indexes, and what was done in one that holds all of it', async () => {
  const plans = await plansOf(
    world.db,
    asks((session) => createTaskStatistics({ now }).getStats(session, {})),
  )
  const indexes = plans.map((plan) => /SEARCH \w+ USING (COVERING )?INDEX (\w+)/.exec(plan)?.[0])
  expect([...new Set(indexes)].toSorted()).toEqual([
    'SEARCH task_completions USING COVERING INDEX task_completions_by_time',
    'SEARCH tasks USING INDEX tasks_by_created',
    'SEARCH tasks USING INDEX tasks_by_due',
  ])
})

onSqlite('what reminds is found by its own index', async () => {
  const [plan] = await plansOf(
    world.db,
    asks((session) => createReminders({ now }).list(session, { time_zone: 'UTC' })),
  )
  expect(plan).toMatch(/^SEARCH tasks USING INDEX tasks_reminding \(workspace=\? AND key>\?\)\n/)
})
