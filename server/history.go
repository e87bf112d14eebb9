package server

import (
	"fmt"
	"net/http"
)

// maxEarlier is how many earlier policies stay fetchable, to be compared with the
// one in force.
const maxEarlier = 8

// retire keeps a snapshot that was in force. The caller holds the place in which
// policies are compiled.
func (s *Server) retire(old *snapshot) {
	var list []*snapshot
	if before := s.earlier.Load(); before != nil {
		list = append(list, *before...)
	}
	list = append(list, old)
	list = list[max(0, len(list)-maxEarlier):]
	s.earlier.Store(&list)
}

// asOf answers a call under the policy of the query, in force or earlier.
func (s *Server) asOf(c *call) *problem {
	digest, ok := c.GetQuery("policy")
	if !ok || digest == c.snap.policy.Digest {
		return nil
	}
	if _, waits := c.GetQuery("wait"); waits {
		return invalid(place{Message: "query parameters \"policy\" and \"wait\": an earlier policy doesn't change"})
	}
	if list := s.earlier.Load(); list != nil {
		for _, one := range *list {
			if one.policy.Digest == digest {
				c.under(one)
				return nil
			}
		}
	}
	return newProblem(http.StatusNotFound, "not-found", fmt.Sprintf("the policy %s isn't in force, and isn't one of the last %d that were", digest, maxEarlier))
}
