/** Edits a fact, wherever one of its cards is shown. */

import type { Fact } from '../api/types'
import { valueDraftOf } from '../data/drafts'
import { useWorkspace } from '../data/use-workspace'
import { Fault } from '../shell/controls'
import { Dialog } from '../shell/Dialog'
import { useAnswer } from '../shell/use-answer'
import { say } from '../words/say'
import { type FactFields, FactForm, isComplete, toContent, toFields } from './FactForm'
import { Form, useSubmit } from './forms'
import { Loading } from './Loading'

interface Props {
  readonly factId: string
  readonly onClose: () => void
  /** Called when the server has taken the change, before the dialog closes. */
  readonly onSaved: () => unknown
}

export function EditFact({ factId, onClose, onSaved }: Props) {
  const { api } = useWorkspace()
  const asked = useAnswer((signal) => api.call<Fact>({ path: `api/flashcards/facts/${factId}`, signal }))
  return (
    <Dialog label={say`Edit the card`} class="study-dialog" onClose={onClose}>
      <h2>{say`Edit the card`}</h2>
      <Loading of={asked}>{(fact) => <EditForm fact={fact} onClose={onClose} onSaved={onSaved} />}</Loading>
    </Dialog>
  )
}

interface Changed {
  readonly fields: FactFields
  /** That of the fact that was changed. */
  readonly revision: number
}

function EditForm({ fact, onClose, onSaved }: Omit<Props, 'factId'> & { fact: Fact }) {
  const { api } = useWorkspace()
  const draft = valueDraftOf<Changed | null>(`satchel.fact ${fact.id} `, null)
  const changed = draft.read()
  const fields = changed?.fields ?? toFields(fact)
  const { fault, isBusy, submit } = useSubmit(async () => {
    await api.call({
      method: 'PATCH',
      path: `api/flashcards/facts/${fact.id}`,
      body: fields.type === 'custom' ? { fields: fields.fields } : toContent(fields),
      headers: { 'If-Match': `"${fact.revision}"` },
    })
    await onSaved()
    draft.change(null)
    onClose()
  })
  return (
    <Form submit={() => isComplete(fields) && submit()}>
      {changed && changed.revision !== fact.revision && (
        <p class="fine">
          {say`The card was changed elsewhere since you typed this. Save puts this in its place, Cancel leaves it as it is.`}
        </p>
      )}
      <FactForm
        value={fields}
        onChange={(fields) => draft.change({ fields, revision: changed?.revision ?? fact.revision })}
        id="edit"
        isStored
        isBusy={isBusy}
      />
      <Fault of={fault} />
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy || !isComplete(fields)}>
          {say`Save`}
        </button>
        <button
          type="button"
          onClick={() => {
            draft.change(null)
            onClose()
          }}
        >
          {say`Cancel`}
        </button>
      </div>
    </Form>
  )
}
