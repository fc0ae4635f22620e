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

test('of several works under one name the last runs, once, after all else and before the commit', () =>
  withDatabase(async (db) => {
    const order: string[] = []
    await db.transaction(async (tx) => {
      for (const nth of [1, 2]) await tx.beforeCommit('a', async () => void order.push(`a${nth}`))
      await tx.transaction((inner) => inner.beforeCommit('b', async () => void order.push('b')))
      order.push('body')
    })
    expect(order).toEqual(['body', 'a2', 'b'])
    await db.transaction(async () => {})
    expect(order).toHaveLength(3)
  }))

test('what is rolled back is forgotten, and what stood under its name before counts again', () =>
  withDatabase(async (db) => {
    const order: string[] = []
    await db.transaction(async (tx) => {
      await tx.beforeCommit('a', async () => void order.push('outer'))
      const inner = tx.transaction(async (nested) => {
        await nested.beforeCommit('a', async () => void order.push('inner'))
        throw new Error('no')
      })
      await expect(inner).rejects.toThrow('no')
    })
    expect(order).toEqual(['outer'])
  }))

test('a work that fails takes the whole transaction back', () =>
  withDatabase(async (db) => {
    const failing = db.transaction(async (tx) => {
      await tx.run("INSERT INTO facts (name, value) VALUES ('x', 'y')")
      await tx.beforeCommit('a', () => Promise.reject(new Error('late')))
    })
    await expect(failing).rejects.toThrow('late')
    expect(await db.get("SELECT value FROM facts WHERE name = 'x'")).toBeNull()
  }))

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
      await tx.beforeCommit('d', () => Promise.reject(new Error('late')))
    })
    await expect(late).rejects.toThrow('late')
    await db.transaction(async () => {})
    expect(told).toEqual(['beside'])
  }))
