import { clockTime, sizeInWords } from '../../public/in-words.js'
import type { Usage } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { Failure } from './Failure'
import { HoursChart } from './HoursChart'
import { useAnswer } from './use-answer'
import { kindInWords } from './words'

const count = new Intl.NumberFormat('en')

/** The requests of the hour and of two days, and how full the workspace is. */
export function UsageFigures() {
  const { api } = useWorkspace()
  const { answer, again } = useAnswer((signal) => api.call<Usage>({ path: 'api/usage', signal }))
  return (
    <section aria-labelledby="usage" aria-busy={answer.is === 'loading'}>
      <div class="section-header">
        <h2 id="usage">Usage</h2>
      </div>
      {answer.is === 'loading' && <p class="quiet">Loading …</p>}
      {answer.is === 'failed' && <Failure message={answer.message} again={again} />}
      {answer.is === 'done' && <Figures usage={answer.value} />}
    </section>
  )
}

function Figures({ usage: { limit, remaining, reset_seconds, workspace, history } }: { usage: Usage }) {
  const { resources, size_bytes, quotas } = workspace
  const end = clockTime(new Date(Date.now() + 1000 * reset_seconds))
  return (
    <>
      <dl class="figures">
        <Figure name="Requests this hour" share={(limit - remaining) / limit}>
          {count.format(limit - remaining)} of {count.format(limit)}
          {remaining < limit && `; full again at ${end}`}
        </Figure>
        <Figure name="Items" share={resources / quotas.resources}>
          {count.format(resources)} of {count.format(quotas.resources)}
        </Figure>
        <Figure name="Size" share={size_bytes / quotas.size_bytes}>
          {sizeInWords(size_bytes)} of {sizeInWords(quotas.size_bytes)}
        </Figure>
        <div>
          <dt>Kind</dt>
          <dd>{kindInWords(workspace, new Date())}</dd>
        </div>
      </dl>
      <HoursChart hours={history} />
    </>
  )
}

/** @param share from 0 to 1, drawn below the words */
function Figure({ name, share, children }: { name: string; share: number; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        <span class="gauge" aria-hidden="true">
          <span style={{ width: `${Math.min(100, 100 * share)}%` }} />
        </span>
      </dd>
    </div>
  )
}
