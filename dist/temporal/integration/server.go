package main

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"

	"github.com/sipc-ml/sipc/internal/cli"
)

// The name of the only cluster, that of the only store, and the namespace.
const (
	clusterName = "active"
	storeName   = "sqlite"
	namespace   = "default"
	host        = "127.0.0.1"
)

func newServer() *cobra.Command {
	var address, file string
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Serve Temporal from a file of SQLite until it is killed",
		Args:  cli.Takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := served(address, file)
			if err != nil {
				return err
			}
			if err := s.Start(); err != nil {
				return err
			}
			<-cmd.Context().Done()
			return s.Stop()
		},
	}
	cmd.Flags().StringVar(&address, "address", "127.0.0.1:7233", "where it listens")
	cmd.Flags().StringVar(&file, "file", "temporal.db", "the `file` of all that it keeps")
	return cmd
}

// served returns a server with all of its services in this process.
func served(address, file string) (temporal.Server, error) {
	c, err := configured(address, file)
	if err != nil {
		return nil, err
	}
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, service := range c.Services {
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(fmt.Sprintf("%s:%d", host, service.RPC.GRPCPort))
	}
	says := log.NewZapLogger(log.BuildZapLogger(log.Config{Stdout: true, Level: "error"}))
	return temporal.NewServer(
		temporal.WithConfig(c),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts),
		temporal.WithLogger(says),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
	)
}

// configured returns the settings of a server, whose file is made if it is not there.
func configured(address, file string) (*config.Config, error) {
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	store, err := stored(file)
	if err != nil {
		return nil, err
	}
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: storeName, VisibilityStore: storeName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{storeName: {SQL: store}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: address},
		Services:            map[string]config.Service{},
	}
	c.Global.Membership.BroadcastAddress = host
	c.Archival.History.State, c.Archival.Visibility.State = "disabled", "disabled"
	c.NamespaceDefaults.Archival.History.State, c.NamespaceDefaults.Archival.Visibility.State = "disabled", "disabled"
	for _, name := range []primitives.ServiceName{primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService} {
		at := port
		if name != primitives.FrontendService {
			if at, err = freePort(); err != nil {
				return nil, err
			}
		}
		c.Services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: at, BindOnIP: host}}
	}
	return c, nil
}

// stored returns the settings of a store, with its tables and the namespace.
func stored(file string) (*config.SQL, error) {
	store := &config.SQL{PluginName: sqliteplugin.PluginName, DatabaseName: file, ConnectAttributes: map[string]string{"mode": "rwc"}}
	if _, err := os.Stat(file); os.IsNotExist(err) {
		if err := sqlite.SetupSchema(store); err != nil {
			return nil, err
		}
	}
	only, err := sqlite.NewNamespaceConfig(clusterName, namespace, false, nil)
	if err != nil {
		return nil, err
	}
	return store, sqlite.CreateNamespaces(store, only)
}

// freePort returns a port that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
