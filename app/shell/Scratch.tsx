/** The notice for a person without a key, and the way to one. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { inWords, Unreachable } from '../api/client'
import { useWorkspace } from '../data/use-workspace'
import { say } from '../words/say'
import { Fault } from './controls'

/** Asks to make a key. With one, what was written before is brought along. */
export function ScratchNotice() {
  const workspace = useWorkspace()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const [adding, setAdding] = useState<Pick<typeof import('../settings/AddKey'), 'AddKey'> | null>(null)
  const form = useRef<HTMLElement>(null)
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), [adding])
  if (workspace.key !== null) return null

  const add = () => import('../settings/AddKey').then(setAdding, () => setFault(inWords(new Unreachable())))

  async function begin() {
    if (isBusy) return
    setBusy(true)
    try {
      await workspace.outbox.flush()
      // It takes the server anyway.
      const { takeKey } = await import('./take-key').catch(() => {
        throw new Unreachable()
      })
      await takeKey(say`Notes and tasks`, true)
    } catch (error) {
      setFault(inWords(error))
      setBusy(false)
    }
  }

  return (
    <aside ref={form} class="notice scratch" aria-label={say`Without a key`}>
      <p>
        {say`You are trying Satchel on the scratch space of your network address: others there see it, too, it has 20 requests an hour, and it is erased a day after its last use. A key gives you a private place that lasts.`}
      </p>
      <div class="row">
        <button type="button" class="primary" aria-disabled={isBusy} onClick={begin}>
          {say`Make a key, and bring this along`}
        </button>
        <button type="button" class="link" aria-expanded={adding !== null} onClick={add}>
          {say`I have a key`}
        </button>
      </div>
      {adding && <adding.AddKey />}
      <Fault of={fault} />
    </aside>
  )
}
