import { afterAll, expect } from 'bun:test'
import { contradictions } from './recount'

/** Closes a world after the tests of the file. Nothing in its database may contradict itself then. */
export function recounted<World extends { readonly folder: string; close(): Promise<void> }>(world: World): World {
  afterAll(async () => {
    expect(await contradictions(world.folder)).toEqual([])
    await world.close()
  })
  return world
}
