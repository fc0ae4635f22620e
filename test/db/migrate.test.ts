import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { MIGRATIONS, migrate, readSchemaVersion } from '../../src/db/open'
import { type UnsizedFact, withDerivedColumns } from '../../src/flashcards/fact-writer'

const memory = () => new Sqlite(':memory:', { strict: true })
const tables = (db: Sqlite) =>
  db
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name)

/** Stores a row of what has a workspace, a revision and stamps. */
function insertRow(db: Sqlite, table: string, given: Record<string, string | number | null>): void {
  const row = { workspace: 'w', revision: 1, created_at: 0, updated_at: 0, ...given }
  const names = Object.keys(row)
  db.query(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `$${name}`)})`).run(row)
}

const DECK = { id: 'deck', name: 'a', name_key: 'a', description: '', settings: '{}', size_bytes: 1 }
const FACT = { deck: 1, type: 'basic', accepted: '[]', tags: '[]', duplicate_key: 'd', size_bytes: 1 }

describe('migrations', () => {
  test('are numbered without a gap', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, i) => i + 1))
  })

  test('run once, and a second start changes nothing', () => {
    const db = memory()
    migrate(db, 1)
    const before = db.query('SELECT * FROM migrations').all()
    migrate(db, 2)
    expect(db.query('SELECT * FROM migrations').all()).toEqual(before)
    expect(readSchemaVersion(db)).toBe(MIGRATIONS.length)
  })

  test('a failing one leaves the database as it was, without what those before it changed', () => {
    const db = memory()
    const broken = [
      { version: 1, sql: 'CREATE TABLE a (x)' },
      { version: 2, sql: 'CREATE TABLE b (x); CREATE TABLE a (x)' },
    ]
    expect(() => migrate(db, 1, broken)).toThrow()
    expect(tables(db)).toEqual(['migrations'])
    expect(readSchemaVersion(db)).toBe(0)
  })

  test('a scratch space from before there were sites is that of its address, and its 24 hours begin anew', () => {
    const db = memory()
    migrate(db, 1, MIGRATIONS.slice(0, 16))
    const [key, scratch] = ['1', '2'].map((digit) => digit.repeat(32))
    const insert = 'INSERT INTO workspaces (id, kind, created_at, seq, resources, size_bytes) VALUES (?, ?, 0, 1, 1, 9)'
    db.run(insert, [key ?? '', 'key'])
    db.run(insert, [scratch ?? '', 'scratch'])
    const hour = () => Math.floor(Date.now() / 3_600_000)
    const before = hour()
    migrate(db, 1)
    const rows = db.query('SELECT id, address, asked_hour FROM workspaces ORDER BY id').all()
    expect(rows).toEqual([
      { id: key, address: null, asked_hour: null },
      { id: scratch, address: scratch, asked_hour: expect.any(Number) },
    ])
    const { asked_hour } = rows[1] as { asked_hour: number }
    expect(asked_hour).toBeWithin(before, hour() + 1)
  })

  test('what is in the trash stays there, and its indexes and triggers, where the column gets another name', () => {
    const db = memory()
    migrate(db, 1, MIGRATIONS.slice(0, 25))
    insertRow(db, 'study_decks', { ...DECK, id: 'living' })
    insertRow(db, 'study_decks', { ...DECK, id: 'gone', trashed_at: 7 })
    insertRow(db, 'study_facts', { id: 'fact', ...FACT, trashed_at: 8 })
    migrate(db, 1)
    expect(db.query('SELECT id, deleted_at FROM study_decks ORDER BY key').all()).toEqual([
      { id: 'living', deleted_at: null },
      { id: 'gone', deleted_at: 7 },
    ])
    expect(() => insertRow(db, 'study_decks', { ...DECK, id: 'same name' })).toThrow('UNIQUE')
    const found = () => db.query("SELECT key FROM search_docs WHERE type = 'fact'").all()
    expect(found()).toEqual([])
    db.run('UPDATE study_facts SET deleted_at = NULL')
    expect(found()).toEqual([{ key: 1 }])
    expect(db.query("SELECT name FROM sqlite_master WHERE sql LIKE '%trashed_at%'").all()).toEqual([])
  })

  test('names and addresses of facts become sources, their notes lists, and the bytes of each and of all fit', () => {
    const db = memory()
    migrate(db, 1, MIGRATIONS.slice(0, 26))
    db.run('PRAGMA foreign_keys = ON')
    const [note, other] = ['01980000-0000-7000-8000-000000000001', '01980000-0000-7000-8000-000000000002']
    const was: Record<string, [external: string | null, url: string | null, note: string | null]> = {
      anki: ['anki:o{x"Y', null, note],
      part: ['anki:guid#1', 'https://example.org/ä', null],
      colon: ['anki:anki:x', null, null],
      bare: ['anki:', null, other],
      upper: ['ANKI:x', null, null],
      other: ['ä b', 'https://example.org/', null],
      page: [null, 'https://example.org/', note],
      none: [null, null, null],
    }
    for (const [i, workspace] of ['v', 'w', 'x'].entries()) {
      db.run(
        "INSERT INTO workspaces (id, kind, created_at, seq, resources, size_bytes) VALUES (?, 'key', 0, 0, 0, 0)",
        [workspace],
      )
      if (workspace === 'x') continue
      insertRow(db, 'study_decks', { ...DECK, workspace })
      for (const [id, [external_id, source_url, source_note_id]] of Object.entries(was)) {
        const size_bytes = [external_id, source_url, '[]', '[]', id].reduce(
          (n, one) => n + Buffer.byteLength(one ?? ''),
          0,
        )
        const row = {
          ...FACT,
          workspace,
          id,
          deck: i + 1,
          front: id,
          external_id,
          source_url,
          source_note_id,
          size_bytes,
        }
        insertRow(db, 'study_facts', { ...row, deleted_at: id === 'other' ? 7 : null })
        db.run('UPDATE workspaces SET size_bytes = size_bytes + ? WHERE id = ?', [size_bytes, workspace])
      }
    }
    migrate(db, 1)
    const rows = db
      .query<UnsizedFact & { key: number; workspace: string; size_bytes: number }, []>('SELECT * FROM study_facts')
      .all()
    const is: Record<string, [system: string | null, id: string | null, url: string | null, notes: string[]]> = {
      anki: ['anki', 'o{x"Y', null, [note]],
      part: ['anki', 'guid#1', 'https://example.org/ä', []],
      colon: ['anki', 'anki:x', null, []],
      bare: ['external', 'anki:', null, [other]],
      upper: ['external', 'ANKI:x', null, []],
      other: ['external', 'ä b', 'https://example.org/', []],
      page: [null, null, 'https://example.org/', [note]],
      none: [null, null, null, []],
    }
    for (const workspace of ['v', 'w']) {
      const found = rows.filter((row) => row.workspace === workspace)
      const shown = ({ source_system, source_id, source_url, note_ids }: UnsizedFact) =>
        [source_system, source_id, source_url, JSON.parse(note_ids)] as const
      expect(Object.fromEntries(found.map((row) => [row.id, shown(row)]))).toEqual(is as never)
      for (const row of found) expect([row.id, row.size_bytes]).toEqual([row.id, withDerivedColumns(row).size_bytes])
      const all = found.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
      expect(db.query('SELECT size_bytes FROM workspaces WHERE id = ?').get(workspace)).toEqual({ size_bytes: all })
      const uses = db.query(
        'SELECT id, note_id FROM study_fact_note_uses JOIN study_facts ON key = fact WHERE study_facts.workspace = ? ORDER BY key',
      )
      expect(uses.values(workspace)).toEqual([
        ['anki', note],
        ['bare', other],
        ['page', note],
      ])
    }
    expect(db.query("SELECT size_bytes FROM workspaces WHERE id = 'x'").get()).toEqual({ size_bytes: 0 })
    const again = { ...FACT, id: 'again', source_system: 'anki', source_id: 'guid#1' }
    expect(() => insertRow(db, 'study_facts', again)).toThrow('UNIQUE')
    insertRow(db, 'study_facts', { ...again, source_system: 'external' })
    expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
    db.run("DELETE FROM study_facts WHERE id = 'anki' AND workspace = 'w'")
    expect(db.query('SELECT count(*) AS n FROM study_fact_note_uses').get()).toEqual({ n: 5 })
  })

  test('links and names that end in .md are those without, and lead where they lead now', () => {
    const db = memory()
    migrate(db, 1, MIGRATIONS.slice(0, 33))
    db.run("INSERT INTO workspaces (id, kind, created_at, seq, resources, size_bytes) VALUES ('w', 'key', 0, 0, 0, 0)")
    const texts = { tags: '[]', inline_tags: '[]', properties: '{}', excerpt: '' }
    const numbers = { pinned: 0, word_count: 0, checklist_total: 0, checklist_done: 0, size_bytes: 1 }
    const name = (key: number, name_key: string, step: number, folder_length = 0) =>
      db.run("INSERT INTO note_names VALUES ('w', ?, ?, ?, ?, ?)", [name_key, step, folder_length, `n${key}`, key])
    const link = (source: number, target: string, folder: string, resolved: number | null) =>
      db.run("INSERT INTO note_links VALUES (?, ?, 'w', ?, ?, '[]', ?)", [source, target, target, folder, resolved])
    for (const [key, title, folder] of [
      [1, 'same', 'a'],
      [2, 'same', 'b'],
      [3, 'read.md', null],
    ] as const) {
      insertRow(db, 'notes', { ...texts, ...numbers, key, id: `n${key}`, title, title_key: title, folder })
      name(key, `${folder ?? ''}/${title}`, 1, folder?.length ?? 0)
      name(key, title, 2, folder?.length ?? 0)
    }
    link(1, 'same.md', 'a', null)
    link(1, 'a/same.markdown', 'a', null)
    link(2, 'same', 'b', 2)
    link(2, 'same.md', 'b', null)
    link(3, 'read.md', '', 3)
    link(3, 'b/same.md', '', null)
    link(3, 'other.md', '', null)
    link(3, 'b/.md', '', null)
    link(3, 'img/a b.png', '', null)
    link(3, 'c.pdf', '', null)
    link(3, 'v1.2', '', null)
    link(2, '/read', 'b', null)
    db.run('UPDATE notes SET links_out = 2, links_unresolved = 2 WHERE key = 1')
    migrate(db, 1)
    expect(
      db.query('SELECT source, target_key, resolved FROM note_links ORDER BY source, target_key').values(),
    ).toEqual([
      [1, 'a/same', 1],
      [1, 'same', 1],
      [2, '/read', 3],
      [2, 'same', 2],
      [3, 'b/.md', null],
      [3, 'b/same', 2],
      [3, 'c.pdf', null],
      [3, 'img/a b.png', null],
      [3, 'other', null],
      [3, 'read', 3],
      [3, 'v1.2', null],
    ])
    expect(
      db.query('SELECT links_out, links_unresolved, links_in, file_name FROM notes ORDER BY key').values(),
    ).toEqual([
      [2, 0, 1, null],
      [2, 0, 2, null],
      [7, 5, 2, null],
    ])
    expect(db.query('SELECT file_key FROM note_links WHERE file_key IS NOT NULL ORDER BY target_key').values()).toEqual(
      [['c.pdf'], ['a b.png']],
    )
    expect(db.query('SELECT name_key FROM note_names WHERE key = 3 ORDER BY step').values()).toEqual([
      ['/read'],
      ['read'],
    ])
  })

  test('facts keep their types, may become custom, and are indexed again with their fields', () => {
    const db = memory()
    migrate(db, 1, MIGRATIONS.slice(0, 39))
    insertRow(db, 'study_decks', DECK)
    const types = ['basic', 'reversed', 'typed', 'cloze']
    for (const type of types) insertRow(db, 'study_facts', { ...FACT, id: type, type })
    migrate(db, 1)
    expect(db.query('SELECT id, type, note_type, fields, ordinals FROM study_facts ORDER BY key').values()).toEqual(
      types.map((type) => [type, type, null, null, null]),
    )
    db.run("UPDATE study_facts SET type = 'custom' WHERE id = 'basic'")
    expect(() => db.run("UPDATE study_facts SET type = 'other'")).toThrow(/CHECK/)
    const pending = () => db.query("SELECT count(*) FROM search_docs WHERE type = 'fact' AND pending = 1").values()
    db.run('UPDATE search_docs SET pending = 0')
    db.run("UPDATE study_facts SET fields = '{}' WHERE id = 'typed'")
    expect(pending()).toEqual([[1]])
  })

  test('rows get the workspace of what they belong to, keep all else, and change no document of search', () => {
    const db = memory()
    migrate(db, 1, MIGRATIONS.slice(0, 42))
    db.run('PRAGMA foreign_keys = ON')
    const texts = { tags: '[]', inline_tags: '[]', properties: '{}', excerpt: '', title: 'a', title_key: 'a' }
    const numbers = { pinned: 0, word_count: 0, checklist_total: 0, checklist_done: 0, size_bytes: 1 }
    const lists = { exdates: '[]', reminders: '[]', labels: '[]', note_ids: '[]', blocked_by: '[]' }
    const task = { title: 'a', title_key: 'a', notes: '', status: 'open', closed: 0, priority: 0, urgency: 0, ...lists }
    for (const [key, workspace] of [
      [2, 'v'],
      [3, 'w'],
      [5, 'w'],
    ] as const) {
      const own = { key, workspace, id: `id${key}` }
      insertRow(db, 'notes', { ...texts, ...numbers, ...own, deleted_at: key === 5 ? 1 : null })
      db.run('INSERT INTO note_bodies (key, body, front_matter) VALUES (?, ?, ?)', [key, `ä${key}`, `---${key}`])
      db.run('INSERT INTO note_imports VALUES (?, ?, ?)', [key, `file${key}`, `note${key}`])
      db.run(
        'INSERT INTO note_revision_bodies VALUES (?, 1, ?), (?, 4, ?)',
        [key, `old${key}`, key, `older${key}`].map((value) => (typeof value === 'string' ? Buffer.from(value) : value)),
      )
      const places = { due_key: '~', start_key: '~', place: '', position: 'a', size_bytes: 1 }
      insertRow(db, 'tasks', { ...task, ...places, ...own })
      insertRow(db, 'task_labels', { ...own, name: own.id, name_key: own.id, size_bytes: 1 })
      db.run('INSERT INTO task_label_uses VALUES (?, ?)', [key, key])
      db.run('INSERT INTO task_calendar_rests VALUES (?, ?, NULL, ?, ?)', [key, `rest${key}`, 'f', 't'])
      db.run("INSERT INTO search_segments VALUES (?, ?, 1, 1, 1, 1, x'00', 'en')", [key, workspace])
      for (const first of ['a', 'b'])
        db.run("INSERT INTO search_blocks VALUES (?, ?, 'terms', x'01', x'02', x'03')", [key, first])
    }
    db.run('INSERT INTO task_label_uses VALUES (3, 5)')
    db.run('UPDATE search_docs SET pending = 0')
    const TABLES = ['note_bodies', 'note_imports', 'note_revision_bodies', 'search_blocks']
    TABLES.push('task_calendar_rests', 'task_label_uses')
    const rowsOf = (table: string) => db.query(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]
    const before = TABLES.map(rowsOf)
    const documents = ['search_docs', 'search_numbers', 'search_dead', 'search_erased']
    const found = documents.map(rowsOf)
    migrate(db, 1)
    const workspaceOf = (key: unknown) => (key === 2 ? 'v' : 'w')
    for (const [i, table] of TABLES.entries()) {
      const expected = (before[i] ?? []).map((row) => ({
        ...row,
        workspace: workspaceOf(row.task ?? row.key ?? row.segment),
      }))
      expect(expected.length).toBeGreaterThan(2)
      expect([table, rowsOf(table)]).toEqual([table, expected])
    }
    expect(documents.map(rowsOf)).toEqual(found)
    expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
    expect(() => db.run("INSERT INTO note_imports (key, file_hash, note_hash) VALUES (3, '', '')")).toThrow('NOT NULL')

    db.run("UPDATE note_bodies SET front_matter = '', body = body")
    expect(documents.map(rowsOf)).toEqual(found)
    db.run("UPDATE note_bodies SET body = 'new' WHERE key = 3")
    expect(db.query("SELECT key FROM search_docs WHERE pending = 1 AND workspace = 'w'").all()).toEqual([{ key: 3 }])
    db.run('DELETE FROM note_bodies WHERE key = 2')
    db.run('UPDATE search_docs SET pending = 0')
    db.run("INSERT INTO note_bodies (workspace, key, body) VALUES ('v', 2, '')")
    expect(db.query('SELECT workspace, key FROM search_docs WHERE pending = 1').all()).toEqual([
      { workspace: 'v', key: 2 },
    ])
    for (const table of ['notes', 'tasks', 'task_labels']) db.run(`DELETE FROM ${table} WHERE key = 3`)
    const left = TABLES.filter((table) => table !== 'search_blocks').flatMap(rowsOf)
    expect(left.some((row) => row.key === 3 || row.task === 3 || row.label === 3)).toBeFalse()
  })

  test('a database from a newer Satchel is refused in a sentence', () => {
    const db = memory()
    migrate(db, 1, [...MIGRATIONS, { version: MIGRATIONS.length + 1, sql: 'CREATE TABLE newer (x)' }])
    expect(() => migrate(db, 1)).toThrow(/Start the newer Satchel/)
  })
})
