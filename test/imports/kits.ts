import { afterEach } from 'bun:test'
import { makeFolder } from '../support/folder'
import { type Kit, type KitOptions, makeKit } from './kit'

/** Opens kits, each on a folder of its own, and closes them after the test: on PostgreSQL each has its connections. */
export function kitsOfTest() {
  const kits: Kit[] = []
  afterEach(async () => {
    for (const kit of kits.splice(0)) await kit.close()
  })
  return async (options: Partial<KitOptions> = {}): Promise<Kit> => {
    const kit = await makeKit({ folder: makeFolder(), ...options })
    kits.push(kit)
    return kit
  }
}
