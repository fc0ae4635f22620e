import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Database } from '../../src/db/database'
import { openDatabase } from '../../src/db/open'
import { makeFolder } from '../support/folder'

async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const db = openDatabase(join(makeFolder(), 'satchel.db'), 0, () => '')
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

test('what is to be told is told after the commit, once, and others see by then what was written', () =>
  withDatabase(async (db) => {
    const told: string[] = []
    const seen: unknown[] = []
    await db.transaction(async (tx) => {
      await tx.run("INSERT INTO facts (name, value) VALUES ('x', 'y')")
      for (const nth of [1, 2]) tx.afterCommit('a', () => void told.push(`a${nth}`))
      await tx.transaction(async (inner) =>
        inner.afterCommit('b', () => void seen.push(db.get("SELECT value FROM facts WHERE name = 'x'"))),
      )
      expect(told).toEqual([])
    })
    await db.transaction(async () => {})
    expect([told, await Promise.all(seen)]).toEqual([['a2'], [{ value: 'y' }]])
  }))

test('nothing is told of what was rolled back, alone or with others of its commit', () =>
  withDatabase(async (db) => {
    const told: string[] = []
    const failing = db.transaction(async (tx) => {
      tx.afterCommit('a', () => void told.push('failed'))
      throw new Error('no')
    })
    const beside = db.transaction(async (tx) => {
      tx.afterCommit('b', () => void told.push('beside'))
      const inner = tx.transaction(async (nested) => {
        nested.afterCommit('b', () => void told.push('nested'))
        throw new Error('no')
      })
      await expect(inner).rejects.toThrow('no')
    })
    await expect(failing).rejects.toThrow('no')
    await beside
    const late = db.transaction(async (tx) => {
      tx.afterCommit('c', () => void told.push('late'))
      // Only the commit itself finds the fault.
      await tx.run('PRAGMA defer_foreign_keys = ON')
      await tx.run("INSERT INTO note_properties (workspace, name, value, key) VALUES ('w', 'a', 'b', -1)")
    })
    await expect(late).rejects.toThrow('FOREIGN KEY')
    expect(await db.get("SELECT 1 FROM note_properties WHERE workspace = 'w'")).toBeNull()
    await db.transaction(async () => {})
    expect(told).toEqual(['beside'])
  }))
