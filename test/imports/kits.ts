import { makeFolder } from '../support/folder'
import { type Kit, type KitOptions, makeKit } from './kit'

/** Opens kits, each on a folder of its own. @param hook when they close: afterEach or afterAll of the file that asks */
export function kitsUntil(hook: (close: () => Promise<void>) => void) {
  const kits: Kit[] = []
  hook(async () => {
    for (const kit of kits.splice(0)) await kit.close()
  })
  return async (options: Partial<KitOptions> = {}): Promise<Kit> => {
    const kit = await makeKit({ folder: makeFolder(), ...options })
    kits.push(kit)
    return kit
  }
}
