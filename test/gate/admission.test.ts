import { afterEach } from 'bun:test'
import { describeAdmission } from './admission-cases'
import { closeWorlds, ON_METER } from './asking'

afterEach(closeWorlds)

describeAdmission(ON_METER)
