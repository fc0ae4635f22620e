import { testVaults } from './vaults'

testVaults([3, 4, 5, 6])
